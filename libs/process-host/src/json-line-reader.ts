/**
 * Reads JSON messages, one per line, from a program that may say something else first.
 *
 * Owns: what is a message, what is text before the first one, and what breaks the protocol.
 * Never owns: the meaning of a message (the adapter).
 * Ordering: what comes out follows the lines; after a fault nothing comes out any more.
 * Limits: `protocolLineLimits`. A blank line is nothing at all.
 */
import { protocolLineLimits } from "@steno/contracts"
import { LineReader, type ReadLine } from "./line-reader.ts"

export type JsonLine =
  /** `replaced`: bytes of the line that are not UTF-8 became U+FFFD. */
  | { readonly kind: "message"; readonly value: unknown; readonly text: string; readonly replaced?: true }
  /** A line of text before the first message. */
  | { readonly kind: "preamble"; readonly text: string }
  /** The stream is no longer read. The explanation holds nothing of the line. */
  | { readonly kind: "fault"; readonly reason: JsonLineFault; readonly explanation: string }

export type JsonLineFault = "line-too-long" | "not-json" | "preamble-too-long"

interface Parsed {
  readonly value: unknown
}

const parsed = (text: string): Parsed | undefined => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const looksLikeJson = (text: string): boolean => /^[ \t\r]*[{[]/.test(text)

export class JsonLineReader {
  readonly #lines: LineReader
  #state: "preamble" | "messages" | "faulted" = "preamble"
  #preambleLines = 0
  #preambleBytes = 0

  constructor(limitBytes: number = protocolLineLimits.lineBytes) {
    this.#lines = new LineReader(limitBytes)
  }

  push(bytes: Uint8Array): ReadonlyArray<JsonLine> {
    return this.#read(this.#state === "faulted" ? [] : this.#lines.push(bytes))
  }

  /** What the last line says, where the stream ended without a newline. */
  end(): ReadonlyArray<JsonLine> {
    const line = this.#state === "faulted" ? undefined : this.#lines.end()
    return line === undefined ? [] : this.#read([line])
  }

  #read(lines: ReadonlyArray<ReadLine>): ReadonlyArray<JsonLine> {
    const read: Array<JsonLine> = []
    for (const line of lines) {
      const said = this.#say(line)
      if (said !== undefined) read.push(said)
      if (said?.kind === "fault") break
    }
    return read
  }

  #say(line: ReadLine): JsonLine | undefined {
    if (line.kind === "skipped") {
      return this.#fault("line-too-long", `A line of ${line.sizeBytes} bytes is longer than the protocol allows`)
    }
    const { sizeBytes, text } = line
    if (this.#state === "preamble" && !looksLikeJson(text)) return this.#preamble(text, sizeBytes)
    if (text.trim() === "") return undefined
    const message = parsed(text)
    if (message === undefined) return this.#fault("not-json", `A line of ${sizeBytes} bytes is not JSON`)
    this.#state = "messages"
    return { kind: "message", value: message.value, text, ...(line.replaced === true ? { replaced: true } : {}) }
  }

  #preamble(text: string, sizeBytes: number): JsonLine | undefined {
    this.#preambleLines++
    this.#preambleBytes += sizeBytes + 1
    if (
      this.#preambleLines > protocolLineLimits.preambleLines ||
      this.#preambleBytes > protocolLineLimits.preambleBytes
    ) {
      return this.#fault("preamble-too-long", "Too much text before the first JSON line")
    }
    const shown = text.replace(/\r$/, "")
    return shown.trim() === "" ? undefined : { kind: "preamble", text: shown }
  }

  #fault(reason: JsonLineFault, explanation: string): JsonLine {
    this.#state = "faulted"
    return { kind: "fault", reason, explanation }
  }
}
