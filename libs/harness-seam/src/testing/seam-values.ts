/** Requests and options that are valid, for tests that care about one field of them. */
import { TurnId } from "@steno/contracts"
import type { PrepareOptions, TurnRequest } from "../harness.ts"

const turnId = TurnId.make("turn_01ARZ3NDEKTSV4RRFFQ69G5FAV")

export const prepareOptions = (fields: Partial<PrepareOptions> = {}): PrepareOptions => ({
  workspace: "/",
  environment: {},
  turnId,
  secrets: [],
  ...fields
})

export const turnRequest = (fields: Partial<TurnRequest> = {}): TurnRequest => ({
  turnId,
  sessionName: "main",
  origin: "user",
  input: "the input",
  ...fields
})
