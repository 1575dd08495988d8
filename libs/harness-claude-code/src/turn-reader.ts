/**
 * Reads the native frames of one Turn.
 *
 * Owns: what each frame means; the identity of messages and Thoughts.
 * Never owns: which frames are this Turn's (claude-session), merging (the producer), calls that were told (turn-calls), answers to the program (turn-errands).
 * Ordering: facts come in the order of the frames.
 * Limits: deterministic, without clock or I/O. Frames of a sub-agent change neither previews nor the model; those of one
 * that another Turn began change nothing.
 */
import type { ItemId, ItemIds, TurnReport } from "@steno/harness-seam"
import { type Fields, fieldsAt, listAt, none, recordsAt, textAt, wholeAt } from "./frame-fields.ts"
import { isSteerState, silentEvents, silentKinds, silentSystem } from "./known-frames.ts"
import { MessageBlocks } from "./message-blocks.ts"
import { nativeEnd } from "./native-end.ts"
import { contextReport, modelRetry, sessionFacts, usageReport } from "./session-facts.ts"
import { declined } from "./permission-answer.ts"
import { TurnCalls } from "./turn-calls.ts"
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
  readonly #blocks = new MessageBlocks()
  readonly #calls: TurnCalls
  #model: string | undefined
  /** The kind of the last error of the model. */
  #modelError: string | undefined

  constructor({ agentCallServer, ids }: TurnReaderOptions) {
    this.#ids = ids
    this.#calls = new TurnCalls(ids, agentCallServer)
  }

  /** The model that answered last. */
  get model(): string | undefined {
    return this.#model
  }

  /** Whether a native tool is one of Steno's own, which agents call to end their Run. */
  isAgentCall(name: string): boolean {
    return this.#calls.isAgentCall(name)
  }

  read(frame: Fields): ReadonlyArray<TurnFact> {
    if (frame["type"] === "tool_progress") return this.#calls.alive(textAt(frame, "parent_tool_use_id")).map(report)
    if (frame["type"] === "control_request") return this.#asked(frame)
    if (this.#calls.isForeign(frame)) return note("foreign-frame", "Told of a sub-agent that another Turn began")
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
      case "control_cancel_request": {
        const requestId = textAt(frame, "request_id")
        return requestId === undefined ? [] : [{ kind: "withdrawn", requestId }]
      }
      case "command_lifecycle": {
        const [messageId, state] = [textAt(frame, "command_uuid"), frame["state"]]
        return messageId === undefined || !isSteerState(state) ? [] : [{ kind: "message-state", messageId, state }]
      }
      default:
        return silentKinds.has(frame["type"]) ? [] : note("unknown-notification", `The program sent a frame of the kind ${textAt(frame, "type") ?? "none"}`)
    }
  }

  #system(frame: Fields): ReadonlyArray<TurnFact> {
    const subtype = textAt(frame, "subtype") ?? "none"
    switch (subtype) {
      case "init": {
        const coordinate = textAt(frame, "session_id")
        return [
          report({ type: "session", availability: "open", facts: sessionFacts(frame) }),
          ...(coordinate === undefined ? [] : [{ kind: "coordinate" as const, coordinate }])
        ]
      }
      case "api_retry":
        return [report({ type: "provider-retry", ...modelRetry(frame) })]
      default:
        return silentSystem.has(subtype) ? [] : note("unknown-notification", `The program sent a system frame of the kind ${subtype}`)
    }
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
    if (frame["is_api_error_message"] === true) {
      this.#modelError = textAt(frame, "error")
      return []
    }
    const message = fieldsAt(frame, "message")
    const messageId = textAt(message, "id")
    const isMain = textAt(frame, "parent_tool_use_id") === undefined
    return [
      ...(isMain ? this.#answeredBy(message) : []),
      ...recordsAt(message, "content").flatMap((block) => this.#block(frame, block, messageId))
    ]
  }

  #block(frame: Fields, block: Fields, messageId: string | undefined): ReadonlyArray<TurnFact> {
    const index = messageId === undefined ? 0 : this.#blocks.place(messageId)
    const parent = this.#calls.parentOf(frame)
    switch (block["type"]) {
      case "text": {
        const content = textAt(block, "text")
        return content === undefined ? [] : [report({ type: "message", messageId: this.#ids.block(messageId, index), content, ...parent })]
      }
      case "thinking": {
        const content = textAt(block, "thinking")
        if (content === undefined || parent.parentItemId !== undefined) return []
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

  #call(nativeId: string | undefined, name: string, input: Fields, parent: { readonly parentItemId?: ItemId }): ReadonlyArray<TurnFact> {
    if (nativeId === undefined) return note("malformed-frame", "A call without an id")
    return this.#calls.started(nativeId, name, input, parent).map(report)
  }

  #user(frame: Fields): ReadonlyArray<TurnFact> {
    if (frame["isReplay"] === true) return []
    const results = recordsAt(fieldsAt(frame, "message"), "content").filter(({ type }) => type === "tool_result")
    const metas = recordsAt(frame, "tool_result_meta")
    return results.flatMap((block) => {
      const nativeId = textAt(block, "tool_use_id")
      if (nativeId === undefined) return []
      const result = {
        block,
        structured: results.length === 1 ? frame["tool_use_result"] : undefined,
        meta: metas.find(({ id }) => id === nativeId) ?? none
      }
      return this.#calls.ended(nativeId, result, this.#calls.parentOf(frame)).map(report)
    })
  }

  #result(frame: Fields): ReadonlyArray<TurnFact> {
    const usage = usageReport(frame)
    const context = contextReport(frame, this.#model)
    return [
      ...(usage === undefined ? [] : [report({ type: "usage", report: usage })]),
      ...(context === undefined ? [] : [report({ type: "context", report: context })]),
      { kind: "end", end: nativeEnd(frame, this.#modelError), frame }
    ]
  }

  #asked(frame: Fields): ReadonlyArray<TurnFact> {
    const asked = fieldsAt(frame, "request")
    const requestId = textAt(frame, "request_id")
    if (requestId === undefined) return note("malformed-frame", "A request without an id")
    if (asked["subtype"] === "elicitation") return declined(requestId, asked)
    return this.#permission(requestId, asked, this.#calls.asksForeign(frame))
  }

  /** A call may be asked about before it was told. */
  #permission(requestId: string, asked: Fields, foreign: boolean): ReadonlyArray<TurnFact> {
    const toolName = textAt(asked, "tool_name")
    if (toolName === undefined || foreign) {
      return [...note("foreign-request", "Asked for a sub-agent that another Turn began, or for no tool"), { kind: "answer", requestId }]
    }
    const input = fieldsAt(asked, "input")
    const nativeId = textAt(asked, "tool_use_id")
    const reason = textAt(asked, "decision_reason")
    return [
      ...(nativeId === undefined ? [] : this.#call(nativeId, toolName, input, {})),
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
}
