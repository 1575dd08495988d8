/** Runs of the built-in loop over a script, on a home and a workspace of their own. */
import type { ModelScript, RunId, RunSnapshot, StartInput } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { portOn, startInput, temporaryFolder } from "../testing.ts"

type Step = ModelScript["steps"][number]
type Answer = { readonly content: ReadonlyArray<unknown> }

/** Answers of the model, one per request. */
export const steps = (...answers: ReadonlyArray<Answer | Step>) => ({
  steps: answers.map((answer) => "content" in answer ? { answer } : answer)
})

export const says = (text: string) => ({ type: "text", text })
export const call = (tool: string, args: unknown) => ({ type: "call", tool, arguments: args })

export interface Hosted {
  readonly home: string
  readonly workspace: string
  readonly script: (script: { readonly steps: ReadonlyArray<unknown> }) => void
  readonly transcript: (runId: RunId) => ReturnType<ProjectionPort["Service"]["exportTranscript"]>
}

export const onHosted = <A, E>(test: (hosted: Hosted) => Effect.Effect<A, E, ProjectionPort>) =>
  Effect.scoped(Effect.gen(function*() {
    const home = join(yield* temporaryFolder, "home")
    const workspace = yield* temporaryFolder
    return yield* Effect.gen(function*() {
      const port = yield* ProjectionPort
      return yield* test({
        home,
        workspace,
        script: (script) => writeFileSync(join(workspace, "script.json"), JSON.stringify(script)),
        transcript: (runId) => port.exportTranscript({ run: { text: runId, workspacePath: workspace } })
      })
    }).pipe(Effect.provide(portOn(home)))
  }))

export const hostedInput = ({ workspace }: Pick<Hosted, "workspace">, more: Partial<StartInput> = {}): StartInput =>
  startInput("Do it.", workspace, { harness: "hosted", model: "script:script.json", ...more })

/** Starts a Run and resolves with it at rest. */
export const startHosted = Effect.fnUntraced(function*(hosted: Pick<Hosted, "workspace">, more: Partial<StartInput> = {}) {
  const port = yield* ProjectionPort
  const { runId } = yield* port.submit({ input: hostedInput(hosted, more) })
  return yield* port.awaitRest(runId)
})

export type { RunSnapshot }
