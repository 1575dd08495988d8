/**
 * Reads the native frames of one Turn.
 *
 * Owns: what each frame means; the identity of messages, Thoughts and calls.
 * Never owns: which frames are this Turn's (claude-session), merging (the producer), answers to the program (turn-errands).
 * Ordering: facts come in the order of the frames.
 * Limits: deterministic, without clock or I/O. Frames of a sub-agent change neither previews nor the model.
 */
import type { ItemId, ItemIds, TurnReport } from "@steno/harness-seam"
import { type Fields, fieldsAt, listAt, none, recordsAt, textAt, wholeAt } from "./frame-fields.ts"
import { isSteerState, silentEvents, silentSystem } from "./known-frames.ts"
import { MessageBlocks } from "./message-blocks.ts"
import { nativeEnd } from "./native-end.ts"
import { contextReport, sessionFacts, usageReport } from "./session-facts.ts"
import { toolOutcome } from "./tool-outcome.ts"
import { mcpTool, toolWords } from "./tool-words.ts"
import type { TurnFact } from "./turn-fact.ts"

export interface TurnReaderOptions {
  readonly ids: ItemIds
  /** Of the MCP server for Agent calls: its tools make no call. */
  readonly agentCallServer?: string
}

const report = (said: TurnReport): TurnFact => ({ kind: "report", report: said })
const note = (code: string, text: string): ReadonlyArray<TurnFact> => [{ kind: "note", code, text }]

/** Of messages that the program wrote itself. */
const syntheticModel = "<synthetic>"

export class TurnReader {
  readonly #ids: ItemIds
  readonly #agentCallServer: string | undefined
  readonly #blocks = new MessageBlocks()
  /** Native ids of calls that were told, and of those that make none. */
  readonly #calls = new Map<string, "told" | "silent">()
  #model: string | undefined

  constructor({ agentCallServer, ids }: TurnReaderOptions) {
    this.#ids = ids
    this.#agentCallServer = agentCallServer
  }

  /** The model that answered last. */
  get model(): string | undefined {
    return this.#model
  }

  read(frame: Fields): ReadonlyArray<TurnFact> {
    switch (frame["type"]) {
      case "system":
        return this.#system(frame)
      case "stream_event":
        return frame["parent_tool_use_id"] === null || frame["parent_tool_use_id"] === undefined
          ? this.#streamed(fieldsAt(frame, "event"))
          : []
      case "assistant":
        return this.#assistant(frame)
      case "user":
        return this.#user(frame)
      case "result":
        return this.#result(frame)
      case "control_request":
        return this.#asked(frame)
      case "control_cancel_request": {
        const requestId = textAt(frame, "request_id")
        return requestId === undefined ? [] : [{ kind: "withdrawn", requestId }]
      }
      case "command_lifecycle": {
        const [messageId, state] = [textAt(frame, "command_uuid"), frame["state"]]
        return messageId === undefined || !isSteerState(state) ? [] : [{ kind: "message-state", messageId, state }]
      }
      default:
        return note("unknown-notification", `The program sent a frame of the kind ${textAt(frame, "type") ?? "none"}`)
    }
  }

  #system(frame: Fields): ReadonlyArray<TurnFact> {
    const subtype = textAt(frame, "subtype") ?? "none"
    if (silentSystem.has(subtype)) return []
    if (subtype !== "init") return note("unknown-notification", `The program sent a system frame of the kind ${subtype}`)
    const coordinate = textAt(frame, "session_id")
    return [
      report({ type: "session", availability: "open", facts: sessionFacts(frame) }),
      ...(coordinate === undefined ? [] : [{ kind: "coordinate" as const, coordinate }])
    ]
  }

  #streamed(event: Fields): ReadonlyArray<TurnFact> {
    const type = textAt(event, "type") ?? "none"
    switch (type) {
      case "message_start": {
        const message = fieldsAt(event, "message")
        const id = textAt(message, "id")
        if (id !== undefined) this.#blocks.begin(id)
        return this.#answeredBy(message)
      }
      case "content_block_start": {
        const index = wholeAt(event, "index")
        if (index !== undefined) this.#blocks.open(index)
        return []
      }
      case "content_block_stop":
        this.#blocks.close()
        return []
      case "content_block_delta":
        return this.#delta(event)
      default:
        return silentEvents.has(type) ? [] : note("unknown-notification", `The model sent an event of the kind ${type}`)
    }
  }

  #delta(event: Fields): ReadonlyArray<TurnFact> {
    const index = wholeAt(event, "index")
    const message = this.#blocks.streamed
    if (index === undefined || message === undefined) return []
    const delta = fieldsAt(event, "delta")
    const text = textAt(delta, "text")
    if (delta["type"] === "text_delta" && text !== undefined) {
      return [report({ type: "message-delta", messageId: this.#ids.block(message, index), delta: text })]
    }
    const thinking = textAt(delta, "thinking")
    if (delta["type"] === "thinking_delta" && thinking !== undefined) {
      return [report({ type: "thought-delta", summaryId: this.#ids.block(message, index), delta: thinking })]
    }
    return []
  }

  #answeredBy(message: Fields): ReadonlyArray<TurnFact> {
    const model = textAt(message, "model")
    if (model === undefined || model === this.#model || model === syntheticModel) return []
    this.#model = model
    return [report({ type: "model", model })]
  }

  #assistant(frame: Fields): ReadonlyArray<TurnFact> {
    if (frame["is_api_error_message"] === true) return []
    const message = fieldsAt(frame, "message")
    const messageId = textAt(message, "id")
    const parent = this.#parent(frame)
    return [
      ...(parent === undefined ? this.#answeredBy(message) : []),
      ...recordsAt(message, "content").flatMap((block) => this.#block(frame, block, messageId, parent))
    ]
  }

  #block(frame: Fields, block: Fields, messageId: string | undefined, parent: ItemId | undefined): ReadonlyArray<TurnFact> {
    const index = messageId === undefined ? 0 : this.#blocks.place(messageId)
    const under = parent === undefined ? {} : { parentItemId: parent }
    switch (block["type"]) {
      case "text": {
        const content = textAt(block, "text")
        return content === undefined ? [] : [report({ type: "message", messageId: this.#ids.block(messageId, index), content, ...under })]
      }
      case "thinking": {
        const content = textAt(block, "thinking")
        if (content === undefined || parent !== undefined) return []
        const durationMs = wholeAt(frame, "thinking_duration_ms")
        return [report({
          type: "thought",
          summaryId: this.#ids.block(messageId, index),
          content,
          ...(durationMs === undefined ? {} : { durationMs })
        })]
      }
      case "tool_use":
        return this.#call(textAt(block, "id"), textAt(block, "name") ?? "none", fieldsAt(block, "input"), parent)
      default:
        return []
    }
  }

  #call(nativeId: string | undefined, name: string, input: Fields, parent: ItemId | undefined): ReadonlyArray<TurnFact> {
    if (nativeId === undefined) return note("malformed-frame", "A call without an id")
    if (this.isAgentCall(name)) {
      this.#calls.set(nativeId, "silent")
      return []
    }
    const itemId = this.#ids.named("call", nativeId)
    const under = parent === undefined ? {} : { parentItemId: parent }
    if (this.#calls.has(nativeId)) return parent === undefined ? [] : [report({ type: "call-updated", call: { itemId, ...under } })]
    this.#calls.set(nativeId, "told")
    return [report({ type: "call-started", call: { itemId, ...toolWords(name, input), ...under } })]
  }

  /** Whether a native tool is one of Steno's own, which agents call to end their Run. */
  isAgentCall(name: string): boolean {
    return this.#agentCallServer !== undefined && mcpTool(name)?.server === this.#agentCallServer
  }

  #user(frame: Fields): ReadonlyArray<TurnFact> {
    if (frame["isReplay"] === true) return []
    const results = recordsAt(fieldsAt(frame, "message"), "content").filter(({ type }) => type === "tool_result")
    const metas = recordsAt(frame, "tool_result_meta")
    return results.flatMap((block) => {
      const nativeId = textAt(block, "tool_use_id")
      if (nativeId === undefined || this.#calls.get(nativeId) === "silent") return []
      const outcome = toolOutcome({
        block,
        structured: results.length === 1 ? frame["tool_use_result"] : undefined,
        meta: metas.find(({ id }) => id === nativeId) ?? none
      })
      if (outcome === undefined) return []
      this.#calls.set(nativeId, "told")
      const parent = this.#parent(frame)
      return [report({
        type: "call-ended",
        call: { itemId: this.#ids.named("call", nativeId), ...outcome.call, ...(parent === undefined ? {} : { parentItemId: parent }) },
        ending: outcome.ending,
        ...(outcome.output === undefined ? {} : { output: outcome.output })
      })]
    })
  }

  #result(frame: Fields): ReadonlyArray<TurnFact> {
    const usage = usageReport(frame)
    const context = contextReport(frame, this.#model)
    return [
      ...(usage === undefined ? [] : [report({ type: "usage", report: usage })]),
      ...(context === undefined ? [] : [report({ type: "context", report: context })]),
      { kind: "end", end: nativeEnd(frame), frame }
    ]
  }

  /** A call may be asked about before it was told. */
  #asked(frame: Fields): ReadonlyArray<TurnFact> {
    const asked = fieldsAt(frame, "request")
    const requestId = textAt(frame, "request_id")
    const toolName = textAt(asked, "tool_name")
    if (requestId === undefined || toolName === undefined || asked["subtype"] !== "can_use_tool") return []
    const input = fieldsAt(asked, "input")
    const nativeId = textAt(asked, "tool_use_id")
    const reason = textAt(asked, "decision_reason")
    return [
      ...(nativeId === undefined ? [] : this.#call(nativeId, toolName, input, undefined)),
      {
        kind: "permission",
        permission: {
          requestId,
          itemId: this.#ids.named("call", nativeId),
          toolName,
          input,
          question: asked["requires_user_interaction"] === true && listAt(input, "questions").length > 0,
          ...(reason === undefined ? {} : { reason })
        }
      }
    ]
  }

  #parent(frame: Fields): ItemId | undefined {
    const parent = textAt(frame, "parent_tool_use_id")
    return parent === undefined ? undefined : this.#ids.named("call", parent)
  }
}
