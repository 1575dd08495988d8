/** Exit codes of the command line; codes of signals (128 + n) are the app's. */
import type { Problem, RunState } from "@steno/contracts"

export const exitCodes = { done: 0, problem: 1, blocked: 2, usage: 64 } as const

/** Of a command that drove a Run to rest. */
export const exitCodeOfRest = (state: RunState): number =>
  state === "succeeded" ? exitCodes.done : state === "blocked" ? exitCodes.blocked : exitCodes.problem

export const exitCodeOfProblem = (problem: Problem): number =>
  problem.code === "usage-invalid" ? exitCodes.usage : exitCodes.problem
