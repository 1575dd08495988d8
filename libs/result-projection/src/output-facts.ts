/** Facts of an output that lies in a file, without a call that Steno ran. */
import type { CaptureFileFacts } from "@steno/contracts"
import type { ProcessFacts } from "./result-policy.ts"

const nothing: CaptureFileFacts = { observedBytes: 0, storedBytes: 0, droppedBytes: 0, observedLines: 0, storedLines: 0 }

/** `bytes` is the size of the file; an exit code that nobody knows is left out. */
export const outputFacts = (file: { readonly path: string; readonly bytes: number; readonly exitCode?: number; readonly tool?: string }): ProcessFacts => ({
  tool: file.tool ?? "bash",
  command: "",
  origin: "model",
  outcome: "completed",
  ...(file.exitCode === undefined ? {} : { exitCode: file.exitCode }),
  capture: { stdout: nothing, stderr: nothing, output: { ...nothing, observedBytes: file.bytes, storedBytes: file.bytes } },
  survivors: [],
  warnings: [],
  files: { output: file.path }
})
