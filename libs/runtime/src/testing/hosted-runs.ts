/** Runs of the built-in loop over a script, on a home and a workspace of their own. */
import type { ModelScript, OperationInput, OperationOutcome, RunId, RunState, StartInput } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { Effect, type Schema } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, watch, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { portOn, startInput, temporaryFolder } from "../testing.ts"

type Step = ModelScript["steps"][number]
type Block = ReturnType<typeof says> | ReturnType<typeof call>
type Answer = { readonly content: ReadonlyArray<Block> }

/** Answers of the model, one per request. */
export const steps = (...answers: ReadonlyArray<Answer | Step>) => ({
  steps: answers.map((answer) => "content" in answer ? { answer } : answer)
})

export const says = (text: string) => ({ type: "text", text }) as const
export const call = (tool: string, args: Readonly<Record<string, Schema.Json>>) => ({ type: "call", tool, arguments: args }) as const

export interface Hosted {
  readonly home: string
  readonly workspace: string
  readonly script: (script: { readonly steps: ReadonlyArray<unknown> }) => void
  /** Makes an empty file in the workspace. */
  readonly file: (name: string) => void
  readonly transcript: (runId: RunId) => ReturnType<ProjectionPort["Service"]["exportTranscript"]>
}

/** Opens the home for `test` and closes it again, as a process does. */
const opened = <A, E>(home: string, workspace: string, test: (hosted: Hosted) => Effect.Effect<A, E, ProjectionPort>) =>
  Effect.gen(function*() {
    const port = yield* ProjectionPort
    return yield* test({
      home,
      workspace,
      script: (script) => writeFileSync(join(workspace, "script.json"), JSON.stringify(script)),
      file: (name) => writeFileSync(join(workspace, name), ""),
      transcript: (runId) => port.exportTranscript({ run: { text: runId, workspacePath: workspace } })
    })
  }).pipe(Effect.provide(portOn(home)))

/** Each part opens a fresh home anew and is given what the part before answered. */
export const onHosted = <A, E, B = A, F = never>(
  test: (hosted: Hosted) => Effect.Effect<A, E, ProjectionPort>,
  then?: (hosted: Hosted, before: A) => Effect.Effect<B, F, ProjectionPort>
) =>
  Effect.scoped(Effect.gen(function*() {
    const home = join(yield* temporaryFolder, "home")
    const workspace = yield* temporaryFolder
    const before = yield* opened(home, workspace, test)
    if (then !== undefined) yield* opened(home, workspace, (hosted) => then(hosted, before))
  }))

export const hostedInput = ({ workspace }: Pick<Hosted, "workspace">, more: Partial<StartInput> = {}): StartInput =>
  startInput("Do it.", workspace, { harness: "hosted", model: "script:script.json", ...more })

/** Starts a Run and resolves with it at rest. */
export const startHosted = Effect.fnUntraced(function*(hosted: Pick<Hosted, "workspace">, more: Partial<StartInput> = {}) {
  const port = yield* ProjectionPort
  const { runId } = yield* port.submit({ input: hostedInput(hosted, more) })
  return yield* port.awaitRest(runId)
})

const submitter = fileURLToPath(new URL("../../fixtures/submit-operation.ts", import.meta.url))

/** A process of its own that submits an Operation on the home. */
export const spawnOperation = (home: string, input: OperationInput): ChildProcess =>
  spawn(process.execPath, [submitter, home, JSON.stringify(input)], { stdio: ["ignore", "pipe", "inherit"] })

/** Resolves with what a process printed when it has ended. */
export const printed = (child: ChildProcess): Effect.Effect<string> =>
  Effect.callback((resume) => {
    let text = ""
    child.stdout?.on("data", (bytes: Buffer) => {
      text += bytes.toString("utf8")
    })
    child.on("close", () => resume(Effect.succeed(text)))
  })

/** What another process answers with that submits the Operation and waits for rest. */
export const inAnotherProcess = (home: string, input: OperationInput) =>
  Effect.map(Effect.suspend(() => printed(spawnOperation(home, input))), (text): {
    readonly outcome: OperationOutcome
    readonly state: RunState
  } => JSON.parse(text.trim().split("\n").at(-1) ?? ""))

/** Submits an Operation here and resolves with its outcome. */
export const operate = Effect.fnUntraced(function*(input: OperationInput, operationId?: string) {
  const port = yield* ProjectionPort
  const submitted = yield* port.submit({ input, ...(operationId === undefined ? {} : { operationId }) })
  return yield* port.awaitOperation(submitted.operationId)
})

/** Resolves when a file of this name exists in the folder. */
export const fileAppears = (folder: string, name: string) =>
  Effect.callback<void>((resume) => {
    const look = () => {
      if (!existsSync(join(folder, name))) return
      watcher.close()
      resume(Effect.void)
    }
    const watcher = watch(folder, look)
    look()
  })
