/**
 * What the server needs from a protocol: reading a request, and an answer as frames of a stream or as one document.
 *
 * Owns: the interface and the form of a server-sent event.
 * Never owns: which answer it is (model-script), how it is sent (delivery).
 */
import type { PlayedAnswer, RequestFacts } from "@steno/model-script"

export type ProtocolName = "anthropic-messages" | "openai-responses" | "openai-chat"

/** One server-sent event. */
export interface Frame {
  readonly text: string
  /** `delta`: a piece of content; `closing`: what follows when all content was sent. */
  readonly phase: "opening" | "content" | "delta" | "closing"
}

export interface Rendered {
  readonly frames: ReadonlyArray<Frame>
  /** The same answer where no stream was asked for. */
  readonly document: unknown
}

export interface ModelRequest {
  readonly facts: RequestFacts
  readonly stream: boolean
  /** `serial` is in no other answer of the server. */
  readonly render: (answer: PlayedAnswer, serial: number) => Rendered
}

export interface Protocol {
  readonly name: ProtocolName
  readonly read: (body: unknown) => ModelRequest
  readonly errorBody: (status: number, message: string) => unknown
  /** The frame that ends a stream with an error; `sent` frames went before it. */
  readonly errorFrame: (status: number, message: string, sent: number) => string
  /** A frame with data that need not be JSON, of a kind that clients read. */
  readonly rawFrame: (data: string) => string
  /** A valid frame of `bytes` bytes that means nothing. */
  readonly hugeFrame: (bytes: number) => string
}

export const serverSentEvent = (data: string, event?: string): string =>
  `${event === undefined ? "" : `event: ${event}\n`}${data.split("\n").map((line) => `data: ${line}\n`).join("")}\n`

/** `frame` around as much filler as makes it `bytes` long. */
export const padded = (bytes: number, frame: (filler: string) => string): string =>
  frame("x".repeat(Math.max(0, bytes - Buffer.byteLength(frame("")))))

/** The time of every answer, in seconds: a script gives the same bytes on every day. */
export const answeredAt = 1_767_225_600
