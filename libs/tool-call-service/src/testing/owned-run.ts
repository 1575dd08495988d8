/**
 * A Run in a real database and the processes that own it one after the other, as layers of one test process.
 *
 * Limits: an owner is closed without order: its calls are left as they are.
 */
import { IdMinter, type LoggedEvent, type ProcessIdentity, type ToolCallResponse, type UnfinishedCall } from "@steno/contracts"
import { CallLedger, Failpoint, ledgerLayer, RunLedger, TurnLedger } from "@steno/ledger"
import { Context, DateTime, Effect, Exit, Layer, Scope } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { AdmittedStep, CallTurn, MessageToPropose } from "../call-requests.ts"
import { ToolCallService } from "../tool-call-service.ts"
import type { CallScript, ControlledPorts } from "./controlled-ports.ts"

export const temporaryDatabase = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "steno-calls-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  ),
  (folder) => join(folder, "core.sqlite")
)

export const now = Effect.map(DateTime.now, DateTime.formatIso)

export const processOf = (pid: number): ProcessIdentity => ({ bootId: "boot", pid, startTime: "1" })

export interface OwnerOptions {
  readonly file: string
  readonly ports: ControlledPorts
  readonly approvals?: CallTurn["approvals"]
  readonly maxCalls?: number
  readonly failpoint?: (point: string) => void
}

export const buildOwner = Effect.fnUntraced(function*({ failpoint, file, maxCalls, ports }: OwnerOptions) {
  const scope = yield* Scope.make()
  const ledger = Layer.fresh(ledgerLayer({ file, access: "write" }))
  const layer = ToolCallService.layerNoDeps(maxCalls === undefined ? {} : { maxCalls }).pipe(
    Layer.provide(ports.layer),
    Layer.provideMerge(failpoint === undefined ? ledger : Layer.provide(ledger, Layer.succeed(Failpoint, failpoint)))
  )
  const context = yield* Effect.orDie(Layer.buildWithScope(layer, scope))
  const close = Scope.close(scope, Exit.void)
  yield* Effect.addFinalizer(() => close)
  return {
    calls: Context.get(context, ToolCallService),
    ledger: Context.get(context, CallLedger),
    runs: Context.get(context, RunLedger),
    turns: Context.get(context, TurnLedger),
    /** Ends the process that the owner stands for; nothing of it is settled. */
    close
  }
})

export type Owner = Effect.Success<ReturnType<typeof buildOwner>> & { readonly turn: CallTurn }

/** Starts a Run of the hosted harness. */
export const firstOwner = Effect.fnUntraced(function*(options: OwnerOptions) {
  const owner = yield* buildOwner(options)
  const ids = yield* IdMinter
  const [runId, conversationId, turnId] = [yield* ids.mint("run"), yield* ids.mint("conv"), yield* ids.mint("turn")]
  const { approvals = "ask" } = options
  yield* Effect.orDie(owner.runs.admitRun({
    operationId: yield* ids.mint("op"),
    input: { operation: "start", workspace: "/project", harness: "hosted", session: "main", input: "go", kind: "once" },
    runId,
    conversationId,
    turnId,
    owner: processOf(1),
    admitted: { input: "go", origin: "user", harness: { id: "hosted" } },
    at: yield* now
  }))
  const turn: CallTurn = { fence: { runId, epoch: 1 }, conversationId, turnId, workspace: "/project", approvals }
  return { ...owner, turn } satisfies Owner
})

/** Takes the Run over, whoever has it. */
export const nextOwner = Effect.fnUntraced(function*(options: OwnerOptions, turn: CallTurn) {
  const owner = yield* buildOwner(options)
  const { epoch, runId } = turn.fence
  const fence = yield* Effect.orDie(owner.runs.takeOver({ runId, epoch, owner: processOf(epoch + 1), at: yield* now }))
  return { ...owner, turn: { ...turn, fence, approvals: options.approvals ?? "ask" } } satisfies Owner
})

export type AskedCall = CallScript & { readonly tool?: string; readonly raw?: string }

/** A message with a text and these calls. */
export const asking = (itemId: string, ...calls: ReadonlyArray<AskedCall>): MessageToPropose => ({
  itemId,
  firstSeen: 0,
  blocks: [
    { type: "text", itemId: `${itemId}-text`, firstSeen: 0, content: "Let me look." },
    ...calls.map(({ raw, tool = "tool", ...script }, index) => {
      const block = { type: "call", itemId: `${itemId}-${script.name}`, firstSeen: index + 1, tool } as const
      return raw === undefined ? { ...block, arguments: script } : { ...block, rawArguments: raw }
    })
  ]
})

/** The id of the call with that place among the calls of a step. */
export const callAt = (step: AdmittedStep, index: number) => {
  const call = step.calls[index]
  if (call === undefined) throw new Error(`The step has no call ${index}`)
  return call.callId
}

export const recordOf = (owner: Owner) =>
  Effect.map(Effect.orDie(owner.runs.readRun(owner.turn.fence.runId)), (record): {
    readonly responses: ReadonlyArray<ToolCallResponse>
    readonly rows: ReadonlyArray<UnfinishedCall>
    readonly events: ReadonlyArray<LoggedEvent>
    readonly state: string | undefined
  } => ({
    responses: (record?.events ?? []).flatMap((event) => event.type === "tool-call-response" ? [event.payload] : []),
    rows: record?.unfinished ?? [],
    events: record?.events ?? [],
    state: record?.run.state
  }))

/** Resolves when the row of a call is in this state; commits of the owner itself are what is waited for. */
export const rowIn = (owner: Owner, callId: UnfinishedCall["callId"], state: UnfinishedCall["state"]) =>
  owner.ledger.unfinishedCall(callId).pipe(
    Effect.tap(() => Effect.yieldNow),
    Effect.repeat({ until: (row) => row?.state === state }),
    Effect.map((row) => row as UnfinishedCall),
    Effect.orDie
  )
