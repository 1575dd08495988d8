/**
 * Sends an answer the way its script wants it: paced, split, broken off.
 *
 * Owns: where a fault is put in, writes and waits between them, how a response ends.
 * Never owns: what frames say (the protocols).
 * Ordering: one write is taken over by the network before the next one begins.
 */
import type { ScriptFault, ScriptPace } from "@steno/contracts"
import type { PlayedAnswer } from "@steno/model-script"
import type { ServerResponse } from "node:http"
import { setTimeout as wait } from "node:timers/promises"
import type { Frame, ModelRequest, Protocol } from "./protocol.ts"

export type Ending = "complete" | "stall" | "disconnect"

export interface Delivery {
  /** Absent: not even a status line is sent. */
  readonly head?: { readonly status: number; readonly headers: Readonly<Record<string, string>> }
  /** One write each, unless the pace wants smaller ones. */
  readonly texts: ReadonlyArray<string>
  readonly ending: Ending
}

const json = { "content-type": "application/json" }
const stream = { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" }

const brokenFrame = "{\"type\":\"broken\","

const faultMessage = (fault: Extract<ScriptFault, { type: "error-frame" }>): string => fault.message ?? `scripted error ${fault.status}`

/** The index of the frame that `at` lies in front of. */
const frameAt = (frames: ReadonlyArray<Frame>, at: ScriptFault["at"]): number => {
  if (at === "start") return 0
  const deltas = frames.flatMap(({ phase }, index) => (phase === "delta" ? [index] : []))
  return (typeof at === "number" ? deltas[at] : undefined) ?? frames.findIndex(({ phase }) => phase === "closing")
}

const streamed = (frames: ReadonlyArray<Frame>, fault: ScriptFault | undefined, protocol: Protocol): Delivery => {
  const head = { status: 200, headers: stream }
  const texts = frames.map(({ text }) => text)
  if (fault === undefined) return { head, texts, ending: "complete" }
  const index = frameAt(frames, fault.at)
  const before = texts.slice(0, index)
  switch (fault.type) {
    case "stall":
    case "disconnect":
      return { ...(fault.at === "start" ? {} : { head }), texts: before, ending: fault.type }
    case "malformed-frame":
      return { head, texts: [...before, protocol.rawFrame(fault.text ?? brokenFrame), ...texts.slice(index)], ending: "complete" }
    case "huge-frame":
      return { head, texts: [...before, protocol.hugeFrame(fault.bytes), ...texts.slice(index)], ending: "complete" }
    case "error-frame":
      return { head, texts: [...before, protocol.errorFrame(fault.status, faultMessage(fault), before.length)], ending: "complete" }
  }
}

const whole = (document: unknown, fault: ScriptFault | undefined, protocol: Protocol): Delivery => {
  const head = { status: 200, headers: json }
  const text = JSON.stringify(document)
  const half = text.slice(0, Math.floor(text.length / 2))
  switch (fault?.type) {
    case undefined:
      return { head, texts: [text], ending: "complete" }
    case "stall":
    case "disconnect":
      return fault.at === "start" ? { texts: [], ending: fault.type } : { head, texts: [half], ending: fault.type }
    case "malformed-frame":
      return { head, texts: [fault.text ?? half], ending: "complete" }
    case "huge-frame":
      return { head, texts: [" ".repeat(Math.max(0, fault.bytes - Buffer.byteLength(text))) + text], ending: "complete" }
    case "error-frame":
      return jsonDelivery(fault.status, protocol.errorBody(fault.status, faultMessage(fault)))
  }
}

export const answerDelivery = (answer: PlayedAnswer, request: ModelRequest, serial: number, protocol: Protocol): Delivery => {
  const { document, frames } = request.render(answer, serial)
  return request.stream ? streamed(frames, answer.fault, protocol) : whole(document, answer.fault, protocol)
}

/** A whole document; a string is sent as it is. */
export const jsonDelivery = (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Delivery => ({
  head: { status, headers: { ...json, ...headers } },
  texts: [typeof body === "string" ? body : JSON.stringify(body)],
  ending: "complete"
})

/** How a response was over: by its own end, by the script, or because the client left first. */
export type Ended = "complete" | "disconnected" | "client-left"

/** Resolves when the response is over; a stall is over when the client leaves. */
export const deliver = async (response: ServerResponse, { ending, head, texts }: Delivery, pace: ScriptPace): Promise<Ended> => {
  const left = new AbortController()
  const gone = new Promise<void>((resolve) => {
    response.once("close", () => {
      left.abort()
      resolve()
    })
  })
  const paused = async (ms: number | undefined) => {
    if (ms !== undefined && ms > 0) await wait(ms, undefined, { signal: left.signal }).catch(() => undefined)
  }
  const write = async (bytes: Buffer) => {
    await Promise.race([gone, new Promise<void>((resolve) => response.write(bytes, () => resolve()))])
  }

  await paused(pace.firstByteDelayMs)
  if (head !== undefined && !left.signal.aborted) {
    response.writeHead(head.status, head.headers)
    response.flushHeaders()
  }
  for (const text of texts) {
    const bytes = Buffer.from(text)
    const size = pace.writeBytes ?? bytes.length
    for (let from = 0; from < bytes.length && !left.signal.aborted; from += size) {
      await write(bytes.subarray(from, from + size))
      await paused(pace.writeDelayMs)
    }
  }
  if (left.signal.aborted) return "client-left"
  if (ending === "disconnect") {
    response.destroy()
    await gone
    return "disconnected"
  }
  if (ending === "complete") response.end()
  await gone
  return response.writableFinished ? "complete" : "client-left"
}
