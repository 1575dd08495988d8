/**
 * Builds what a client sees of a Run from what is stored.
 *
 * Owns: derivation of the Run document; pure.
 * Never owns: reading the store (ledger), shortening (result-projection).
 */
import {
  type Asset,
  callFolder,
  type CallId,
  type ConversationId,
  type RunCall,
  type RunSnapshot,
  type StoredEvent,
  type ToolCallResponse,
  type TimelineEntry,
  type UnfinishedCall
} from "@steno/contracts"
import { transcriptReference } from "@steno/history-projection"
import type { RunRecord, TurnRow } from "@steno/ledger"
import { decideAbandoned } from "@steno/tool-call-service"
import type { Ownership } from "./ownership.ts"
import { abandonedRunState, abandonedTurnResult } from "./turn-rules.ts"

type Started = Extract<StoredEvent, { readonly type: "tool-call-started" }>

/**
 * Events of all Sessions in one order: inside a Session that of its log, whatever the clock did meanwhile; between Sessions that of
 * the clock.
 */
const inRunOrder = (events: ReadonlyArray<StoredEvent>): ReadonlyArray<StoredEvent> => {
  const latest = new Map<ConversationId, string>()
  const placed = events.map((event) => {
    const before = latest.get(event.conversationId) ?? ""
    const at = event.createdAt > before ? event.createdAt : before
    latest.set(event.conversationId, at)
    return { event, at }
  })
  return placed.toSorted((left, right) => left.at < right.at ? -1 : left.at > right.at ? 1 : 0).map(({ event }) => event)
}

const timelineEntry = (event: StoredEvent): typeof TimelineEntry.Type => {
  const common = { at: event.createdAt, turnId: event.turnId }
  switch (event.type) {
    case "turn-admitted":
      return { ...common, event: "turn-admitted" }
    case "tool-call-started":
      return { ...common, event: "tool-call-started", detail: event.payload.tool }
    case "tool-call-response":
      return { ...common, event: "tool-call-settled", detail: event.payload.outcome }
    case "turn-settled":
      return { ...common, event: "turn-settled", detail: event.payload.result }
  }
}

/** The file that serves as combined output: output.txt, else that of the only stream that printed. */
export const outputAsset = (
  assets: ReadonlyArray<Asset>,
  { callId, capture }: Pick<ToolCallResponse, "callId" | "capture">
): Asset | undefined => {
  const files = assets.filter((asset) => asset.callId === callId && asset.category === "output")
  const bothPrinted = capture !== undefined && capture.stdout.observedBytes > 0 && capture.stderr.observedBytes > 0
  return files.find((asset) => asset.stream === "output") ?? (bothPrinted ? undefined : files[0])
}

const settledFields = (
  response: ToolCallResponse,
  assets: ReadonlyArray<Asset>,
  home: string
): Partial<RunCall> => {
  const file = outputAsset(assets, response)
  const output = response.capture?.output
  return {
    outcome: response.outcome,
    ...(response.reason === undefined ? {} : { reason: response.reason }),
    ...(response.exitCode === undefined ? {} : { exitCode: response.exitCode }),
    ...(response.signal === undefined ? {} : { signal: response.signal }),
    ...(response.timedOut === undefined ? {} : { timedOut: response.timedOut }),
    ...(response.durationMs === undefined ? {} : { durationMs: response.durationMs }),
    ...(response.survivors.length === 0 ? {} : { survivors: response.survivors }),
    ...(response.warnings.length === 0 ? {} : { warnings: response.warnings }),
    ...(output === undefined ? {} : {
      output: {
        lines: output.observedLines,
        bytes: output.observedBytes,
        ...(output.droppedBytes > 0 ? { droppedBytes: output.droppedBytes } : {}),
        ...(response.agentProjection === undefined ? {} : { projection: response.agentProjection }),
        ...(file === undefined ? {} : { path: `${home}/${file.path}` })
      }
    })
  }
}

const unfinishedFields = (call: UnfinishedCall, abandoned: boolean): Partial<RunCall> => {
  if (!abandoned) return { state: call.state }
  const { outcome, reason } = decideAbandoned(call.state)
  return { outcome, ...(reason === undefined ? {} : { reason }) }
}

/** Calls in order of their first event in the Run. */
export const callStarts = (record: Pick<RunRecord, "events">): ReadonlyArray<Started> =>
  inRunOrder(record.events).filter((event) => event.type === "tool-call-started")

export interface SnapshotFacts {
  readonly record: RunRecord
  readonly ownership: Ownership
  /** Absolute path of the home. */
  readonly home: string
}

/** An abandoned Run is shown as the next writer will settle it; nothing is written here. */
export const buildSnapshot = ({ home, ownership, record }: SnapshotFacts): RunSnapshot => {
  const { run } = record
  const abandoned = ownership === "abandoned"
  const sessionName = new Map<ConversationId, string>(record.sessions.map((row) => [row.conversationId, row.name]))
  const nameOf = (id: ConversationId) => sessionName.get(id) ?? ""
  const responses = new Map<CallId, ToolCallResponse>(
    record.events.flatMap((event) => event.type === "tool-call-response" ? [[event.payload.callId, event.payload]] : [])
  )
  const unfinished = new Map<CallId, UnfinishedCall>(record.unfinished.map((row) => [row.callId, row]))
  const turnResult = (turn: TurnRow) => turn.result ?? (abandoned ? abandonedTurnResult(record, turn.turnId) : undefined)

  return {
    runId: run.runId,
    kind: run.kind,
    workspacePath: run.workspacePath,
    harness: run.harness,
    launchedAt: run.launchedAt,
    ...(run.settledAt === undefined ? {} : { settledAt: run.settledAt }),
    state: abandoned ? abandonedRunState(record) : run.state,
    liveness: ownership === "here"
      ? { state: "live", ...(run.owner === undefined ? {} : { ownerPid: run.owner.pid }) }
      : ownership === "elsewhere"
      ? { state: "live-elsewhere", ...(run.owner === undefined ? {} : { ownerPid: run.owner.pid }) }
      : { state: "resting" },
    sessions: record.sessions.map((session) => ({
      session: session.name,
      conversationId: session.conversationId,
      availability: session.availability,
      transcriptPage: transcriptReference("page", session),
      transcriptExport: transcriptReference("export", session)
    })),
    turns: record.turns.map((turn) => {
      const result = turnResult(turn)
      const durationMs = turn.settledAt === undefined || result === "lost" || result === "not-started"
        ? undefined
        : Date.parse(turn.settledAt) - Date.parse(turn.admittedAt)
      return {
        turnId: turn.turnId,
        session: nameOf(turn.conversationId),
        origin: turn.origin,
        ...(turn.entry ? { entry: true as const } : {}),
        ...(result === undefined ? {} : { result }),
        admittedAt: turn.admittedAt,
        ...(turn.settledAt === undefined ? {} : { settledAt: turn.settledAt }),
        ...(durationMs === undefined || durationMs < 0 ? {} : { durationMs })
      }
    }),
    timeline: inRunOrder(record.events).map(timelineEntry),
    calls: callStarts(record).map((event, index) => {
      const { callId } = event.payload
      const response = responses.get(callId)
      const open = unfinished.get(callId)
      return {
        callId,
        ordinal: index + 1,
        session: nameOf(event.conversationId),
        turnId: event.turnId,
        tool: event.payload.tool,
        input: event.payload.arguments.command,
        ...(response !== undefined
          ? settledFields(response, record.assets, home)
          : open !== undefined
          ? unfinishedFields(open, abandoned)
          : {})
      }
    }),
    pending: [],
    asyncBash: [],
    actionOffers: []
  }
}

/** Absolute folder of a call's files. */
export const callFolderPath = (home: string, conversationId: ConversationId, callId: CallId): string =>
  `${home}/${callFolder(conversationId, callId)}`
