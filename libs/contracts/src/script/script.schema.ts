/**
 * A script: the file that a deterministic model plays, one step per request.
 *
 * Owns: the shape of a script file, its units, ranges and defaults.
 * Never owns: which step answers a request (model-script), how an answer looks in a protocol (scripted-model, harness-hosted).
 */
import { Schema } from "effect"
import { Milliseconds } from "../units.ts"

const wholeFromOne = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))
const wholeFromZero = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** One of the tool results that came since the last answer. */
export const ScriptResultExpectation = Schema.Struct({
  /** Name of the tool whose result is meant; absent: any. */
  tool: Schema.optionalKey(Schema.String),
  /** Text that the result contains. */
  contains: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ResultExpectation" })

/** What a request has to be like; everything that is said has to hold. */
export const ScriptExpectation = Schema.Struct({
  /** Text that the system prompt contains. */
  system: Schema.optionalKey(Schema.String),
  /** Text that the user's input since the last answer contains. */
  input: Schema.optionalKey(Schema.String),
  /** Text that any message contains. */
  contains: Schema.optionalKey(Schema.String),
  /** Each is found among the tool results since the last answer. */
  results: Schema.optionalKey(Schema.Array(ScriptResultExpectation)),
  /** Number of tool results since the last answer. */
  resultCount: Schema.optionalKey(wholeFromZero),
  /** Number of messages without the system prompt; every tool result counts as one. */
  messageCount: Schema.optionalKey(wholeFromZero),
  /** Names of tools that are offered, among others. */
  tools: Schema.optionalKey(Schema.Array(Schema.String)),
  /** Text that the model's name contains. */
  model: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Expectation" })
export type ScriptExpectation = typeof ScriptExpectation.Type

export const ScriptText = Schema.Struct({ type: Schema.Literal("text"), text: Schema.String })

/** The summary of its thinking that a provider writes for the user. */
export const ScriptThought = Schema.Struct({ type: Schema.Literal("thought"), text: Schema.String })

const call = {
  type: Schema.Literal("call"),
  tool: Schema.NonEmptyString,
  /** Id of the call; default `call_<step>_<index>`, which no other call of the conversation has. */
  id: Schema.optionalKey(Schema.NonEmptyString)
}

export const ScriptCall = Schema.Struct({ ...call, arguments: Schema.Record(Schema.String, Schema.Json) })

/** A call whose arguments are sent as they are: broken JSON, or the input of a tool that takes text. */
export const ScriptTextCall = Schema.Struct({ ...call, argumentsText: Schema.String })

export const ScriptBlock = Schema.Union([ScriptText, ScriptThought, ScriptCall, ScriptTextCall]).annotate({ identifier: "Block" })
export type ScriptBlock = typeof ScriptBlock.Type

export const ScriptStop = Schema.Literals(["end", "calls", "length", "refusal"])
export type ScriptStop = typeof ScriptStop.Type

export const ScriptUsage = Schema.Struct({
  /** Default 100. */
  inputTokens: Schema.optionalKey(wholeFromZero),
  /** Default 10; Thoughts included. */
  outputTokens: Schema.optionalKey(wholeFromZero),
  /** Of the input, how many were read from a cache; default 0. */
  cachedInputTokens: Schema.optionalKey(wholeFromZero),
  /** Of the output, how many were Thoughts; default 0. */
  thoughtTokens: Schema.optionalKey(wholeFromZero)
})
export type ScriptUsage = typeof ScriptUsage.Type

export const ScriptAnswer = Schema.Struct({
  /** In order. */
  content: Schema.Array(ScriptBlock),
  /** Default `calls` where the content has a call, else `end`. */
  stop: Schema.optionalKey(ScriptStop),
  usage: Schema.optionalKey(ScriptUsage)
}).annotate({ identifier: "Answer" })
export type ScriptAnswer = typeof ScriptAnswer.Type

export const ScriptPace = Schema.Struct({
  /** Wait before the first byte of the response; default 0. */
  firstByteDelayMs: Schema.optionalKey(Milliseconds),
  /** Code points per delta of a text, a Thought or arguments; of a list the last number goes on. Absent: one delta per block. */
  deltaSize: Schema.optionalKey(Schema.Union([wholeFromOne, Schema.Array(wholeFromOne).check(Schema.isMinLength(1))])),
  /** Bytes per write to the network, regardless of where deltas and characters end. Absent: one write per frame. */
  writeBytes: Schema.optionalKey(wholeFromOne),
  /** Wait between two writes; default 0. */
  writeDelayMs: Schema.optionalKey(Milliseconds)
}).annotate({ identifier: "Pace" })
export type ScriptPace = typeof ScriptPace.Type

const at = {
  /** `start`: before the first byte. A number: after that many deltas. `end`: after the content, before the closing frames. Default `end`. */
  at: Schema.optionalKey(Schema.Union([Schema.Literals(["start", "end"]), wholeFromZero]))
}

/** The HTTP statuses that providers answer errors with. */
const ErrorStatus = Schema.Int.check(Schema.isBetween({ minimum: 400, maximum: 599 }))

/** What goes wrong while an answer is sent. */
export const ScriptFault = Schema.Union([
  /** Nothing more is sent; the connection stays until the client leaves. */
  Schema.Struct({ type: Schema.Literal("stall"), ...at }),
  /** The connection is closed. */
  Schema.Struct({ type: Schema.Literal("disconnect"), ...at }),
  /** A frame that is no JSON is put in; the answer goes on. */
  Schema.Struct({ type: Schema.Literal("malformed-frame"), ...at, text: Schema.optionalKey(Schema.String) }),
  /** A frame of `bytes` bytes without meaning is put in; the answer goes on. */
  Schema.Struct({
    type: Schema.Literal("huge-frame"),
    ...at,
    bytes: Schema.Int.check(Schema.isBetween({ minimum: 256, maximum: 134_217_728 }))
  }),
  /** The protocol's error frame ends the stream. */
  Schema.Struct({
    type: Schema.Literal("error-frame"),
    ...at,
    status: ErrorStatus,
    message: Schema.optionalKey(Schema.String)
  })
]).annotate({ identifier: "Fault" })
export type ScriptFault = typeof ScriptFault.Type

/** An HTTP error instead of an answer. */
export const ScriptError = Schema.Struct({
  status: ErrorStatus,
  message: Schema.optionalKey(Schema.String),
  /** The whole body; a string is sent as it is. Default: the protocol's body for the status. */
  body: Schema.optionalKey(Schema.Json),
  /** Further response headers, e.g. `retry-after`. */
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
}).annotate({ identifier: "Error" })
export type ScriptError = typeof ScriptError.Type

const reply = { name: Schema.optionalKey(Schema.String), expect: Schema.optionalKey(ScriptExpectation) }
const answering = {
  ...reply,
  answer: ScriptAnswer,
  pace: Schema.optionalKey(ScriptPace),
  fault: Schema.optionalKey(ScriptFault)
}
const refusing = {
  ...reply,
  error: ScriptError,
  pace: Schema.optionalKey(ScriptPace)
}

export const ScriptReply = Schema.Union([Schema.Struct(answering), Schema.Struct(refusing)]).annotate({ identifier: "Reply" })
export type ScriptReply = typeof ScriptReply.Type

const repeated = {
  /** How many requests in succession the step answers; `always`: all that come, so it is the last. Default 1. */
  times: Schema.optionalKey(Schema.Union([wholeFromOne, Schema.Literal("always")]))
}

/** A step with alternatives: the first whose expectation holds answers. */
export const ScriptBranch = Schema.Struct({
  name: Schema.optionalKey(Schema.String),
  oneOf: Schema.Array(ScriptReply).check(Schema.isMinLength(1)),
  ...repeated
})

export const ScriptStep = Schema.Union([
  Schema.Struct({ ...answering, ...repeated }),
  Schema.Struct({ ...refusing, ...repeated }),
  ScriptBranch
]).annotate({ identifier: "Step" })
export type ScriptStep = typeof ScriptStep.Type

const endlessOnlyLast = Schema.makeFilter((steps: ReadonlyArray<ScriptStep>) =>
  steps.slice(0, -1).every(({ times }) => times !== "always") || "only the last step may have times \"always\""
)

export const ModelScript = Schema.Struct({
  /** What the script shows, for people. */
  description: Schema.optionalKey(Schema.String),
  /** In order; a conversation plays them from the first. */
  steps: Schema.Array(ScriptStep).check(Schema.isMinLength(1), endlessOnlyLast),
  /** Answers to requests beside the conversation, at any time and any number of times; they are looked at first and use up no step. */
  asides: Schema.optionalKey(Schema.Array(Schema.Union([
    Schema.Struct({ ...answering, expect: ScriptExpectation }),
    Schema.Struct({ ...refusing, expect: ScriptExpectation })
  ])))
})
export type ModelScript = typeof ModelScript.Type
