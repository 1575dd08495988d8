/** Facts and runs of a projection for tests. */
import type { CaptureFileFacts } from "@steno/contracts"
import type { RegisteredFile } from "./file-claims.ts"
import { processDiagnostics } from "./process-diagnostics.ts"
import type { ValueCall } from "./project-value.ts"
import type { ProcessFacts, Projection } from "./result-policy.ts"
import { makeLineCleaner } from "./text-hygiene.ts"

/** Facts of a file that was captured completely; `changes` replace whole fields. */
export const makeFileFacts = (changes: Partial<CaptureFileFacts> = {}): CaptureFileFacts => ({
  observedBytes: 0,
  storedBytes: 0,
  droppedBytes: 0,
  observedLines: 0,
  storedLines: 0,
  ...changes
})

/** A direct command that exited with 0; `changes` replace whole fields. */
export const makeProcessFacts = (changes: Partial<ProcessFacts> = {}): ProcessFacts => ({
  tool: "bash",
  command: "npm test",
  origin: "user",
  outcome: "completed",
  exitCode: 0,
  durationMs: 1_234,
  capture: { stdout: makeFileFacts(), stderr: makeFileFacts(), output: makeFileFacts() },
  survivors: [],
  warnings: [],
  files: { output: "/home/data/output.txt" },
  ...changes
})

/** Projects what is in a file and what is only in memory, with bytes lost between. */
export const projectWithLoss = (
  parts: { readonly file: string | Uint8Array; readonly lostBytes: number; readonly memory: string | Uint8Array },
  facts: Partial<ProcessFacts> = {}
): Projection => {
  const bytes = (part: string | Uint8Array) => typeof part === "string" ? new TextEncoder().encode(part) : part
  const projector = processDiagnostics.begin()
  projector.push(bytes(parts.file))
  projector.leaveFile(parts.lostBytes)
  projector.push(bytes(parts.memory))
  return projector.finish(makeProcessFacts(facts))
}

/** Projects an output fed in blocks of `blockBytes`. */
export const projectOutput = (
  output: string | Uint8Array,
  facts: Partial<ProcessFacts> = {},
  blockBytes = 65_536
): Projection => {
  const bytes = typeof output === "string" ? new TextEncoder().encode(output) : output
  const projector = processDiagnostics.begin()
  for (let at = 0; at < bytes.length; at += blockBytes) projector.push(bytes.subarray(at, at + blockBytes))
  return projector.finish(makeProcessFacts(facts))
}

/** Lines of a complete output after hygiene, each whole or with its middle left out. */
export const cleanLines = (text: string): ReadonlyArray<string> => {
  const lines: Array<string> = []
  const cleaner = makeLineCleaner(({ long, whole }) => lines.push(whole ?? `${long?.start ?? ""}…${long?.end ?? ""}`))
  cleaner.push(text)
  cleaner.end()
  return lines
}

/** A call of a model that completed; `changes` replace whole fields. */
export const makeValueCall = (changes: Partial<ValueCall> = {}): ValueCall => ({
  tool: "read",
  origin: "model",
  end: { outcome: "completed" },
  durationMs: 5,
  arguments: { path: "src/a.ts" },
  ...changes
})

/** The file that holds everything a result held. */
export const makeResultFile = (changes: Partial<RegisteredFile> = {}): RegisteredFile => ({
  path: "/home/data/result.json",
  label: "Complete result",
  role: "recovery",
  format: "json",
  sizeBytes: 9_999,
  tools: ["read", "grep"],
  complete: true,
  ...changes
})
