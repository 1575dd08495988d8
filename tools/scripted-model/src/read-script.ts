/** Reads a script file. */
import type { ModelScript } from "@steno/contracts"
import { parseScript } from "@steno/model-script"
import { Result } from "effect"
import { readFileSync } from "node:fs"

/** Throws `ScriptInvalid`, or what reading the file throws. */
export const readScript = (file: string | URL): ModelScript => Result.getOrThrow(parseScript(readFileSync(file, "utf8")))
