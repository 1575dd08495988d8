/** Requests and options that are valid, for tests that care about one field of them. */
import { TurnId } from "@steno/contracts"
import { randomBytes } from "node:crypto"
import type { PrepareOptions, TurnRequest } from "../harness.ts"

const turnId = TurnId.make("turn_01ARZ3NDEKTSV4RRFFQ69G5FAV")

const anyTurnId = () => TurnId.make(`turn_01${randomBytes(12).toString("hex").toUpperCase()}`)

/** Each for a Turn of its own: what bears its mark is ended with it, and tests run side by side. */
export const prepareOptions = (fields: Partial<PrepareOptions> = {}): PrepareOptions => ({
  workspace: "/",
  environment: {},
  turnId: anyTurnId(),
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
