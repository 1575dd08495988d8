/**
 * How each program's model asks for the same work, and what the program can be trusted to tell of it.
 *
 * Owns: the words of each program for a command, an edit, a call that asks.
 * Never owns: the scenarios.
 */
import type { RunCall } from "@steno/contracts"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { bash as claudeCommand } from "../claude-code/claude-calls.ts"
import { command as codexCommand, escalated, patch } from "../codex/codex-calls.ts"
import type { HarnessProgram } from "../harness-program.ts"
import { bash as opencodeCommand, scripted } from "../opencode/opencode-session.ts"
import { answers, called, type Scenario } from "../scenario.ts"
import type { Scratch } from "../scratch.ts"

type Script = Scenario["script"]
type Step = Script["steps"][number]
type Block = ReturnType<typeof called>
type End = Pick<RunCall, "exitCode" | "outcome">

export interface LiveAgent {
  readonly id: HarnessProgram["id"]
  /** With what the program asks a model beside the conversation. */
  readonly script: (...steps: ReadonlyArray<Step>) => Script
  readonly command: (text: string) => Block
  /** One that the program asks a person about, with what `strict` writes. */
  readonly askingCommand: (text: string) => Block
  readonly strict: (scratch: Scratch) => void
  /** Changes `hello` in `greeting.txt` to `good morning` and makes `new.txt`, one model request after the other. */
  readonly edit: ReadonlyArray<Step>
  /** Of a command that exits with 3, and of one that exits with 0. */
  readonly failed: End
  readonly succeeded: End
  /** How its model names a tool of the server that Steno gives it. */
  readonly ownTool: (name: string) => string
  /** One that the program offers the tools of servers to at once; absent: that of its settings. */
  readonly toolsModel?: string
  /** Whether the model is asked again after a refused call. */
  readonly goesOnAfterRefusal: boolean
}

const asItIs = (): void => undefined

const readOnlySandbox = ({ home }: Scratch): void => {
  const path = join(home, ".codex/config.toml")
  writeFileSync(path, readFileSync(path, "utf8").replace("danger-full-access", "read-only"))
}

const inWorkspace = (name: string): string => `{{workspace}}/${name}`

export const liveAgents: Readonly<Record<HarnessProgram["id"], LiveAgent>> = {
  "claude-code": {
    id: "claude-code",
    script: (...steps) => ({ steps }),
    command: (text) => claudeCommand(text),
    askingCommand: (text) => claudeCommand(text),
    strict: asItIs,
    edit: [
      answers(called("Read", { file_path: inWorkspace("greeting.txt") })),
      answers(called("Edit", { file_path: inWorkspace("greeting.txt"), old_string: "hello", new_string: "good morning" })),
      answers(called("Write", { file_path: inWorkspace("new.txt"), content: "one\n" }))
    ],
    failed: { outcome: "failed" },
    succeeded: { outcome: "completed" },
    ownTool: (name) => `mcp__steno__${name}`,
    goesOnAfterRefusal: true
  },
  "codex": {
    id: "codex",
    script: (...steps) => ({ steps }),
    command: (text) => codexCommand(text),
    askingCommand: escalated,
    strict: readOnlySandbox,
    edit: [answers(patch("*** Update File: greeting.txt", "@@", "-hello", "+good morning", " there", "*** Add File: new.txt", "+one"))],
    failed: { outcome: "completed", exitCode: 3 },
    succeeded: { outcome: "completed", exitCode: 0 },
    ownTool: (name) => name,
    toolsModel: "scripted-model",
    goesOnAfterRefusal: true
  },
  "opencode": {
    id: "opencode",
    script: scripted,
    command: (text) => opencodeCommand(text),
    askingCommand: (text) => opencodeCommand(text),
    strict: asItIs,
    edit: [
      answers(called("read", { filePath: inWorkspace("greeting.txt") })),
      answers(called("edit", { filePath: inWorkspace("greeting.txt"), oldString: "hello", newString: "good morning" })),
      answers(called("write", { filePath: inWorkspace("new.txt"), content: "one\n" }))
    ],
    failed: { outcome: "completed", exitCode: 3 },
    succeeded: { outcome: "completed", exitCode: 0 },
    ownTool: (name) => `steno_${name}`,
    goesOnAfterRefusal: false
  }
}
