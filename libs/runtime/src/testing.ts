/** A temporary home and workspace, and the Port on them. */
import { ProjectionPort } from "@steno/projection-port"
import type { StartInput } from "@steno/contracts"
import { Effect, Layer } from "effect"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openHome } from "./home.ts"
import { readHomeConfig } from "./home-config.ts"
import { type RuntimeOptions, runtimeLayer } from "./runtime-layer.ts"

export const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => realpathSync(mkdtempSync(join(tmpdir(), "steno-test-")))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

/** The Port of a home, opened as a command that needs `need` would. */
export const portOn = (home: string, need: "write" | "read" = "write", outside: Pick<RuntimeOptions, "outsideAgents" | "agentCallProgram"> = {}) =>
  Layer.unwrap(Effect.gen(function*() {
    const opened = yield* openHome(home, need)
    return runtimeLayer({ home: opened, config: yield* readHomeConfig(home), environment: process.env, ...outside })
  }))

/** The input of `run start` for a command. */
export const startInput = (command: string, workspace: string, more: Partial<StartInput> = {}): StartInput => ({
  operation: "start",
  workspace,
  harness: "command",
  session: "main",
  input: command,
  kind: "once",
  ...more
})

/** Starts a command and resolves with its Run at rest. */
export const runCommand = Effect.fnUntraced(function*(command: string, workspace: string, more: Partial<StartInput> = {}) {
  const port = yield* ProjectionPort
  const { runId } = yield* port.submit({ input: startInput(command, workspace, more) })
  return yield* port.awaitRest(runId)
})
