/** The process's directory and stdin as the command line's input. */
import type { Problem } from "@steno/contracts"
import { HeadlessInput } from "@steno/headless"
import { PortProblem } from "@steno/projection-port"
import { Effect, Layer } from "effect"
import { fstatSync } from "node:fs"
import { byteBlocks } from "./byte-blocks.ts"
import { systemCode } from "./system-code.ts"

const refusal = (problem: Omit<Problem, "possibleEffects">) => new PortProblem({ problem: { ...problem, possibleEffects: "none" } })

/** The caller's directory, asked for when it is needed: it may have been removed. */
export const currentDirectory = Effect.try({
  try: () => process.cwd(),
  catch: (fault) =>
    refusal({
      code: "workspace-not-found",
      explanation: `The current directory does not exist any more or cannot be entered: ${systemCode(fault)}.`,
      remediation: "Change to an existing directory and repeat the command."
    })
})

/** Node reads a folder as if it were empty. */
const openStdin = () => {
  if (fstatSync(process.stdin.fd).isDirectory()) throw Object.assign(new Error("stdin is a folder"), { code: "EISDIR" })
  return process.stdin
}

const stdin = byteBlocks(openStdin, (fault) =>
  refusal({
    code: "usage-invalid",
    explanation: `stdin could not be read: ${systemCode(fault)}.`,
    remediation: "Connect stdin to something that can be read, or do not give \"-\"."
  }))

export const processInputLayer = Layer.succeed(HeadlessInput, { cwd: currentDirectory, stdin })
