/** Facts of an output that lies in a file, without a call that Steno ran. */
import type { CaptureFileFacts } from "@steno/contracts"
import type { ProcessFacts } from "./result-policy.ts"

const nothing: CaptureFileFacts = { observedBytes: 0, storedBytes: 0, droppedBytes: 0, observedLines: 0, storedLines: 0 }

export interface OutputFile {
  /** Absolute; absent: it can be read nowhere again. */
  readonly path?: string
  readonly bytes: number
  /** Absent: nobody asked for it, and no end is told. */
  readonly exitCode?: number
  readonly tool?: string
}

export const outputFacts = (file: OutputFile): ProcessFacts => ({
  tool: file.tool ?? "bash",
  command: "",
  origin: "model",
  outcome: "completed",
  ...(file.exitCode === undefined ? { endUnasked: true } : { exitCode: file.exitCode }),
  capture: { stdout: nothing, stderr: nothing, output: { ...nothing, observedBytes: file.bytes, storedBytes: file.bytes } },
  survivors: [],
  warnings: [],
  files: file.path === undefined ? {} : { output: file.path }
})
