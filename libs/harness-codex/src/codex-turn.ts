/**
 * Reads the notifications of one Turn of Codex and says what each of them reports.
 *
 * Owns: what belongs to the Turn (its thread and native Turn, the threads of its sub-agents), Steers that wait, the native end.
 * Never owns: merging and order (harness-seam), the process, time.
 * Ordering: before the native Turn is known what comes is kept; frames of a sub-agent are kept until an item names it.
 * Limits: at most `keptFrames` frames are kept, further ones count as foreign. Behind the native end nothing is reported.
 */
import type { ItemId, ItemIds, TurnFailureReason, TurnReport } from "@steno/harness-seam"
import { callEnding, type CallItem, callItem, callOutput, childThreads, reportedCall } from "./codex-call.ts"
import { failureReason } from "./codex-fault.ts"
import type { CodexNotification } from "./codex-frame.ts"
import { isAgentMessageItem, isItem, isMcpItem, isReasoningItem, isUserMessageItem, silentItems } from "./codex-item.ts"
import {
  isDelta,
  isDiff,
  isFault,
  isItemNotice,
  isOfThread,
  isOfTurn,
  isPlan,
  isReroute,
  isSettings,
  isSummaryDelta,
  isTurnFault,
  isTurnNotice,
  silentNotifications
} from "./codex-notification.ts"
import { filesOfDiff } from "./codex-patch.ts"
import { CodexSubAgents, type LastingTurn } from "./codex-sub-agents.ts"
import { tokenReports } from "./codex-usage.ts"

export type NativeEnd =
  | { readonly kind: "completed" }
  | { readonly kind: "interrupted" }
  | { readonly kind: "failed"; readonly reason: TurnFailureReason; readonly text: string }

export type TurnFact =
  | { readonly kind: "report"; readonly report: TurnReport }
  | { readonly kind: "ended"; readonly end: NativeEnd }
  | { readonly kind: "oddity"; readonly code: string; readonly text: string }

export interface LastingWork {
  readonly turns: ReadonlyArray<LastingTurn>
  /** Threads whose commands may run on. */
  readonly terminals: ReadonlyArray<string>
}

export interface CodexTurnOptions {
  readonly ids: ItemIds
  readonly threadId: string
  /** Its calls are Agent calls and make no rows. */
  readonly agentCallServer: string
}

const keptFrames = 256
const none: ReadonlyArray<TurnFact> = []
const report = (value: TurnReport): TurnFact => ({ kind: "report", report: value })
const oddity = (code: string, text: string): ReadonlyArray<TurnFact> => [{ kind: "oddity", code, text }]
const malformed = (method: string) => oddity("malformed-notification", method)

export class CodexTurn {
  readonly #options: CodexTurnOptions
  readonly #subAgents = new CodexSubAgents()
  readonly #steers = new Set<string>()
  readonly #running = new Map<ItemId, { readonly item: CallItem; readonly threadId: string }>()
  #nativeTurnId: string | undefined
  #kept: Array<CodexNotification> = []
  #fault: Extract<NativeEnd, { readonly kind: "failed" }> | undefined
  #model: string | undefined
  #ended = false

  constructor(options: CodexTurnOptions) {
    this.#options = options
  }

  /** What an interrupt of the native Turn leaves at work. */
  get lasting(): LastingWork {
    const running = [...this.#running.values()].filter(({ item }) => item.type === "commandExecution")
    const turns = this.#subAgents.working
    return { turns, terminals: [...new Set([...running, ...turns].map(({ threadId }) => threadId))] }
  }

  /** Whether a frame of that thread is one of this Turn. */
  hasThread(threadId: string): boolean {
    return threadId === this.#options.threadId || this.#subAgents.has(threadId)
  }

  /** The item that a native call of that thread is, whether or not it was reported yet. */
  callId(threadId: string, nativeItemId: string): ItemId {
    return this.#options.ids.named("call", JSON.stringify([threadId, nativeItemId]))
  }

  /** The running call of that tool, where there is exactly one. */
  runningMcpCall(server: string, tool: string | undefined): ItemId | undefined {
    const found = [...this.#running].filter(([, { item }]) =>
      isMcpItem(item) && item.server === server && (tool === undefined || item.tool === tool))
    return found.length === 1 ? found[0]?.[0] : undefined
  }

  /** Its delivery is looked for from now on. */
  sendSteer(steerId: string): void {
    this.#steers.add(steerId)
  }

  /** The native Turn took the input: what was kept is read now. */
  accept(nativeTurnId: string): ReadonlyArray<TurnFact> {
    this.#nativeTurnId = nativeTurnId
    return this.#readKept()
  }

  read(notification: CodexNotification): ReadonlyArray<TurnFact> {
    const { method, params } = notification
    if (this.#ended) return none
    if (method === "thread/settings/updated") return this.#settings(params)
    if (silentNotifications.has(method) || !isOfThread(params)) {
      return silentNotifications.has(method) ? none : oddity("unknown-notification", method)
    }
    if (params.threadId !== this.#options.threadId) return this.#ofChild(notification, params.threadId)
    if (this.#nativeTurnId === undefined) return this.#keep(notification)
    if (method === "turn/completed") return this.#end(params)
    if (!isOfTurn(params)) return oddity("unknown-notification", method)
    return params.turnId === this.#nativeTurnId ? this.#ofTurn(method, params) : oddity("foreign-frame", method)
  }

  #keep(notification: CodexNotification): ReadonlyArray<TurnFact> {
    if (this.#kept.length >= keptFrames) return oddity("foreign-frame", notification.method)
    this.#kept.push(notification)
    return none
  }

  #readKept(): ReadonlyArray<TurnFact> {
    const kept = this.#kept
    this.#kept = []
    return kept.flatMap((notification) => this.read(notification))
  }

  #ofChild(notification: CodexNotification, threadId: string): ReadonlyArray<TurnFact> {
    const parent = this.#subAgents.parentOf(threadId)
    if (parent === undefined) return this.#keep(notification)
    this.#subAgents.note(notification, threadId)
    return this.#ofItem(notification.method, notification.params, threadId, parent)
  }

  #ofTurn(method: string, params: unknown): ReadonlyArray<TurnFact> {
    const { ids, threadId } = this.#options
    switch (method) {
      case "item/reasoning/summaryTextDelta":
        if (!isSummaryDelta(params)) return malformed(method)
        return [report({ type: "thought-delta", summaryId: ids.block(params.itemId, params.summaryIndex), delta: params.delta })]
      case "turn/diff/updated":
        if (!isDiff(params)) return malformed(method)
        return [report({ type: "diff-preview", content: params.diff, files: filesOfDiff(params.diff) })]
      case "turn/plan/updated":
        return this.#plan(params)
      case "thread/tokenUsage/updated":
        return tokenReports(params).map(report)
      case "model/rerouted":
        return isReroute(params) ? [report({ type: "model", model: params.toModel })] : malformed(method)
      case "error":
        return this.#noteFault(params)
      default:
        return this.#ofItem(method, params, threadId, undefined)
    }
  }

  /** What sub-agents tell too: texts and calls. */
  #ofItem(method: string, params: unknown, threadId: string, parent: ItemId | undefined): ReadonlyArray<TurnFact> {
    const parentItemId = parent === undefined ? {} : { parentItemId: parent }
    switch (method) {
      case "item/agentMessage/delta":
        if (!isDelta(params)) return malformed(method)
        return [report({ type: "message-delta", messageId: this.#textId(threadId, params.itemId), delta: params.delta, ...parentItemId })]
      case "item/commandExecution/outputDelta":
        if (!isDelta(params)) return malformed(method)
        return [report({ type: "call-updated", call: { itemId: this.callId(threadId, params.itemId), tool: "command" }, outputDelta: params.delta })]
      case "item/started":
      case "item/completed":
        if (!isItemNotice(params) || !isItem(params.item)) return malformed(method)
        return this.#item(params.item, method === "item/completed", threadId, parent)
      default:
        return parent === undefined ? oddity("unknown-notification", method) : none
    }
  }

  #item(item: { readonly type: string }, completed: boolean, threadId: string, parent: ItemId | undefined): ReadonlyArray<TurnFact> {
    const call = callItem(item)
    if (call !== undefined) return this.#call(call, completed, threadId, parent)
    if (isUserMessageItem(item)) return parent === undefined ? this.#delivered(item.clientId) : none
    if (completed && isAgentMessageItem(item)) {
      const parentItemId = parent === undefined ? {} : { parentItemId: parent }
      return [report({ type: "message", messageId: this.#textId(threadId, item.id), content: item.text, ...parentItemId })]
    }
    if (completed && parent === undefined && isReasoningItem(item)) {
      return item.summary.map((content, index) =>
        report({ type: "thought", summaryId: this.#options.ids.block(item.id, index), content }))
    }
    return silentItems.has(item.type) ? none : oddity("unknown-item", item.type)
  }

  #call(item: CallItem, completed: boolean, threadId: string, parent: ItemId | undefined): ReadonlyArray<TurnFact> {
    if (isMcpItem(item) && item.server === this.#options.agentCallServer) return none
    const itemId = this.callId(threadId, item.id)
    const call = reportedCall(item, itemId, completed, parent)
    const children = childThreads(item).filter((child) => !this.hasThread(child))
    for (const child of children) this.#subAgents.name(child, itemId)
    const kept = children.length > 0 ? () => this.#readKept() : () => none
    if (!completed) {
      this.#running.set(itemId, { item, threadId })
      return [report({ type: "call-started", call }), ...kept()]
    }
    this.#running.delete(itemId)
    const output = callOutput(item)
    return [
      report({ type: "call-ended", call, ending: callEnding(item), ...(output === undefined ? {} : { output }) }),
      ...kept()
    ]
  }

  #textId(threadId: string, nativeItemId: string): ItemId {
    return this.#options.ids.block(JSON.stringify([threadId, nativeItemId]), 0)
  }

  #delivered(clientId: unknown): ReadonlyArray<TurnFact> {
    if (typeof clientId !== "string" || !this.#steers.delete(clientId)) return none
    return [report({ type: "steer-delivered", steerId: clientId, delivery: "after-boundary" })]
  }

  #plan(params: unknown): ReadonlyArray<TurnFact> {
    if (!isPlan(params)) return malformed("turn/plan/updated")
    const explanation = typeof params.explanation === "string" && params.explanation !== "" ? [params.explanation] : []
    const text = [...explanation, ...params.plan.map(({ status, step }) => `${status}: ${step}`)].join("\n")
    return [report({ type: "activity", activityId: this.#options.ids.named("activity", "plan"), text })]
  }

  #settings(params: unknown): ReadonlyArray<TurnFact> {
    if (!isOfThread(params) || params.threadId !== this.#options.threadId) return none
    if (!isSettings(params)) return malformed("thread/settings/updated")
    const { effort, model } = params.threadSettings
    const told = JSON.stringify([model, effort])
    if (told === this.#model) return none
    this.#model = told
    return [report({ type: "model", model, ...(typeof effort === "string" ? { effort } : {}) })]
  }

  #noteFault(params: unknown): ReadonlyArray<TurnFact> {
    if (!isFault(params)) return malformed("error")
    const { codexErrorInfo, message } = params.error
    this.#fault = { kind: "failed", reason: failureReason(codexErrorInfo), text: message }
    return none
  }

  #end(params: unknown): ReadonlyArray<TurnFact> {
    if (!isTurnNotice(params)) return malformed("turn/completed")
    if (params.turn.id !== this.#nativeTurnId) return oddity("foreign-frame", "turn/completed")
    this.#ended = true
    const dropped = this.#kept.map(({ method }): TurnFact => ({ kind: "oddity", code: "foreign-frame", text: method }))
    this.#kept = []
    return [...dropped, { kind: "ended", end: this.#nativeEnd(params.turn) }]
  }

  #nativeEnd({ error, status }: { readonly status: string; readonly error?: unknown }): NativeEnd {
    if (status === "completed" || status === "interrupted") return { kind: status }
    if (isTurnFault(error)) return { kind: "failed", reason: failureReason(error.codexErrorInfo), text: error.message }
    return this.#fault ?? { kind: "failed", reason: "native", text: "Codex gave no reason" }
  }
}
