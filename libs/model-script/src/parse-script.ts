/** Reads a script from the text of its file. */
import { ModelScript } from "@steno/contracts"
import { Result, Schema } from "effect"
import { ScriptInvalid } from "./script-errors.ts"

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(ModelScript), { onExcessProperty: "error" })

/** A key that the format does not have is refused too. */
export const parseScript = (text: string): Result.Result<ModelScript, ScriptInvalid> =>
  Result.mapError(decode(text), (error) => new ScriptInvalid({ fault: error.message }))
