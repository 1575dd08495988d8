/** The process's directory and stdin as the command line's input. */
import type { Problem } from "@steno/contracts"
import { HeadlessInput } from "@steno/headless"
import { PortProblem } from "@steno/projection-port"
import { Effect, Layer, Predicate } from "effect"
import { buffer } from "node:stream/consumers"

const systemCode = (fault: unknown): string =>
  Predicate.hasProperty(fault, "code") && Predicate.isString(fault.code) ? fault.code : "unknown"

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

const readStdin = Effect.tryPromise({
  try: () => buffer(process.stdin),
  catch: (fault) =>
    refusal({
      code: "usage-invalid",
      explanation: `stdin could not be read: ${systemCode(fault)}.`,
      remediation: "Give the command on stdin, or after \"--\"."
    })
})

export const processInputLayer = Layer.succeed(HeadlessInput, { cwd: currentDirectory, readStdin })
