/** `--operation-id`, on every command that changes something. */
import { OperationId } from "@steno/contracts"
import { Option, Result, Schema } from "effect"
import { Flag } from "./cli-engine.ts"
import { WrongUsage } from "./wrong-usage.ts"

export const operationIdFlag = Flag.String("operation-id").pipe(
  Flag.withMetavar("ID"),
  Flag.withDescription("Makes the command safe to repeat: same id and input, same answer, no second effect"),
  Flag.optional
)

const isOperationId = Schema.is(OperationId)

export const checkedOperationId = (
  given: Option.Option<string>,
  commandPath: ReadonlyArray<string>
): Result.Result<string | undefined, WrongUsage> =>
  Option.isNone(given) || isOperationId(given.value)
    ? Result.succeed(Option.getOrUndefined(given))
    : Result.fail(new WrongUsage({ explanation: "--operation-id must be 1 to 128 characters of A-Z a-z 0-9 . _ : -.", commandPath }))
