/** `--operation-id`, on every command that changes something. */
import { OperationId } from "@steno/contracts"
import { Result, Schema } from "effect"
import { Flag } from "./cli-engine.ts"
import { WrongUsage } from "./wrong-usage.ts"

export const operationIdFlag = Flag.String("operation-id").pipe(
  Flag.withMetavar("ID"),
  Flag.withDescription("Makes the command safe to repeat: same id and input, same answer, no second effect"),
  Flag.optional
)

const isOperationId = Schema.is(OperationId)

/** An absent id is fine. */
export const checkOperationId = (
  operationId: string | undefined,
  commandPath: ReadonlyArray<string>
): Result.Result<void, WrongUsage> =>
  operationId === undefined || isOperationId(operationId)
    ? Result.void
    : Result.fail(new WrongUsage({
      explanation: "--operation-id must be 1 to 128 characters of A-Z a-z 0-9 . _ : -.",
      fields: ["operation-id"],
      commandPath
    }))
