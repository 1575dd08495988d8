/** Calls of a model on a real home, without its application: what a message proposes, and how its calls end. */
import type { AssetStore } from "@steno/asset-store"
import {
  type ApprovalAnswer, type CallId, type HomeConfig, IdMinter, type MessageBlock, type OperationId, type StartInput, type ToolCallResponse
} from "@steno/contracts"
import { type Fence, RunLedger } from "@steno/ledger"
import { CallLedger } from "@steno/ledger/calls"
import { ProcessHost } from "@steno/process-host"
import { type ApprovalMode, ToolCallService } from "@steno/tool-call-service"
import { DateTime, Effect, Layer } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { openHome } from "../home.ts"
import { coreLayer } from "../runtime-layer.ts"
import { temporaryFolder } from "../testing.ts"

export interface Places {
  readonly home: string
  readonly workspace: string
}

type Core = ToolCallService | CallLedger | RunLedger | ProcessHost | AssetStore

export const coreOn = (
  home: string,
  { config = {}, environment = process.env }: { readonly config?: HomeConfig; readonly environment?: Readonly<Record<string, string | undefined>> } = {}
) => Layer.unwrap(Effect.map(openHome(home, "write"), (opened) => coreLayer({ home: opened, config, environment })))

/** A home and a workspace, and every library below the application on them. */
export const onCore = <A, E>(test: (places: Places) => Effect.Effect<A, E, Core>, options: Parameters<typeof coreOn>[1] = {}) =>
  Effect.scoped(Effect.gen(function*() {
    const home = yield* temporaryFolder
    const workspace = yield* temporaryFolder
    return yield* Effect.provide(test({ home, workspace }), coreOn(home, options))
  }))

type Call = readonly [tool: string, sent: Readonly<Record<string, unknown>>]

export const admitHostedRun = Effect.fnUntraced(function*(
  workspace: string,
  approvals: ApprovalMode = "ask",
  started: Partial<StartInput> = {}
) {
  const runs = yield* RunLedger
  const calls = yield* ToolCallService
  const ids = yield* IdMinter
  const [runId, conversationId, turnId] = [yield* ids.mint("run"), yield* ids.mint("conv"), yield* ids.mint("turn")]
  const { epoch } = yield* runs.admitRun({
    operationId: yield* ids.mint("op"),
    input: { operation: "start", workspace, harness: "hosted", session: "main", input: "work", kind: "once", ...started },
    runId,
    conversationId,
    turnId,
    owner: yield* Effect.flatMap(ProcessHost, (host) => host.self),
    admitted: { input: "work", origin: "user", harness: { id: "hosted" } },
    at: DateTime.formatIso(yield* DateTime.now)
  })
  const fence: Fence = { runId, epoch }
  const turn = { fence, conversationId, turnId, workspace, approvals }
  let place = 0

  /** Proposes one message with these calls; resolves at its commit. */
  const propose = (...asked: ReadonlyArray<Call>) => {
    const firstSeen = place
    const blocks = asked.map(([tool, sent]) => ({ type: "call", itemId: `item-${++place}`, firstSeen: place, tool, arguments: sent }) as MessageBlock)
    return calls.propose({ ...turn, proposal: { itemId: `message-${++place}`, firstSeen, blocks } })
  }

  /** The responses of one message's calls, in content order. */
  const run = (...asked: ReadonlyArray<Call>) => Effect.flatMap(propose(...asked), ({ settled }) => settled)

  /** The response of a message's only call. */
  const one = (tool: string, sent: Readonly<Record<string, unknown>> = {}) =>
    Effect.map(run([tool, sent]), ([response]) => response as ToolCallResponse)

  const answer = (callId: CallId, approval: ApprovalAnswer["approval"], id?: OperationId) =>
    Effect.flatMap(id === undefined ? ids.mint("op") : Effect.succeed(id), (given) =>
      calls.answer(fence, { callId, resolution: { id: given, value: { approval }, by: "person" } }))

  const unfinished = Effect.flatMap(CallLedger, (ledger) => ledger.unfinishedCalls(runId))
  const record = Effect.flatMap(RunLedger, (ledger) => ledger.readRun(runId))
  return { answer, conversationId, one, propose, record, run, turn, unfinished }
})

/** Running processes that carry the marker of a call. */
export const marked = (callId: string | undefined): ReadonlyArray<string> =>
  readdirSync("/proc").filter((pid) => {
    try {
      const isRunning = !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
      return isRunning && readFileSync(`/proc/${pid}/environ`, "latin1").split("\0").includes(`STENO_CALL_ID=${callId}`)
    } catch {
      return false
    }
  })

/** What awaits a person, once all that is open does. */
export const awaited = Effect.fnUntraced(function*({ turn, unfinished }: Effect.Success<ReturnType<typeof admitHostedRun>>) {
  yield* (yield* ToolCallService).onlyAwaits(turn.turnId)
  return yield* unfinished
})
