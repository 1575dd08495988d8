/**
 * The agents that Steno knows by name, and what is known of them.
 *
 * Owns: how each is started, what it is offered, how its results and thoughts are read, the evidence.
 * Limits: what is documented alone is not claimed to be more.
 */
import type { CapabilityName } from "@steno/harness-seam"
import { readPlainResult, type ReadCallResult } from "./call-result.ts"
import { readOpencodeResult } from "./opencode-result.ts"

export interface AcpAgent {
  readonly id: string
  readonly name: string
  /** An absolute path, or a name in the person's PATH. */
  readonly program: string
  readonly arguments: ReadonlyArray<string>
  /** Those that make the program print its version; absent: it is not asked. */
  readonly versionArguments?: ReadonlyArray<string>
  /** Methods of the client that it is offered: what it asks for by them is run by Steno. Nothing offered: it does all itself. */
  readonly offered: { readonly files: boolean; readonly terminals: boolean }
  /** Thoughts are only told where they are known to be written for the person. */
  readonly thoughts: "summaries" | "private"
  readonly readResult: ReadCallResult
  /** What a person should know of a capability, by recordings. */
  readonly limits?: Readonly<Partial<Record<CapabilityName, ReadonlyArray<string>>>>
  /** Versions that recordings are of. */
  readonly recorded: ReadonlyArray<string>
}

const nothing = { files: false, terminals: false }

/**
 * Its file requests only tell of what it does by itself, and it never asks for a terminal; its thoughts are whatever the
 * provider sends.
 */
export const opencode: AcpAgent = {
  id: "opencode",
  name: "opencode",
  program: "opencode",
  arguments: ["acp"],
  versionArguments: ["--version"],
  offered: nothing,
  thoughts: "private",
  readResult: readOpencodeResult,
  limits: { approvals: ["A refusal ends the Turn", "What a sub-agent needs leave for is not asked: the Turn waits until it is interrupted"] },
  recorded: ["1.18.33"]
}

export const gemini: AcpAgent = {
  id: "gemini",
  name: "Gemini CLI",
  program: "gemini",
  arguments: ["--acp"],
  versionArguments: ["--version"],
  offered: nothing,
  thoughts: "private",
  readResult: readPlainResult,
  recorded: []
}

export const goose: AcpAgent = {
  id: "goose",
  name: "goose",
  program: "goose",
  arguments: ["acp"],
  versionArguments: ["--version"],
  offered: nothing,
  thoughts: "private",
  readResult: readPlainResult,
  recorded: []
}

/**
 * Any other agent, by its command. Where it is offered methods, a call of a kind that may use one is told with its first
 * output or its end: before that nobody can know whether it is Steno's own.
 */
export const customAgent = (
  command: Pick<AcpAgent, "arguments" | "program"> & Partial<Pick<AcpAgent, "id" | "name" | "offered" | "thoughts" | "versionArguments">>
): AcpAgent => ({
  id: "acp",
  name: "ACP agent",
  offered: nothing,
  thoughts: "private",
  readResult: readPlainResult,
  recorded: [],
  ...command
})

/** A named agent by the command that a person configured: its program, and words that go before the arguments. */
export const agentWithCommand = (
  { versionArguments, ...agent }: AcpAgent,
  [program, ...words]: readonly [program: string, ...words: ReadonlyArray<string>]
): AcpAgent => ({
  ...agent,
  program,
  arguments: [...words, ...agent.arguments],
  ...(versionArguments === undefined ? {} : { versionArguments: [...words, ...versionArguments] })
})

export const acpAgents: Readonly<Record<"opencode" | "gemini" | "goose", AcpAgent>> = { opencode, gemini, goose }
