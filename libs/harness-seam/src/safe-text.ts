/**
 * Text of a harness without the secrets that Steno gave it, and without lone surrogates.
 *
 * Owns: redaction, also where a secret arrives in pieces: its possible beginning is held back.
 * Ordering: the pieces joined are the same however the text was split.
 * Limits: pure. At the end a beginning of 8 units or more is redacted too, a shorter one is let through.
 */

export const redacted = "[redacted]"

/** A text shorter than this is no secret: redacting it everywhere would ruin what people read. */
const leastUnits = 8

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

export class Secrets {
  /** Longest first, so that the longest match wins. */
  readonly texts: ReadonlyArray<string>

  /** Throws for a text too short to be a secret: a defect of whoever minted it. */
  constructor(texts: ReadonlyArray<string>) {
    if (texts.some((text) => text.length < leastUnits)) throw new Error(`A secret has at least ${leastUnits} units`)
    this.texts = [...new Set(texts)].sort((left, right) => right.length - left.length)
  }

  /** The first place from `from` on where a secret may begin; the length of `text` if none. */
  candidate(text: string, from: number): number {
    let first = text.length
    for (const secret of this.texts) {
      const at = text.indexOf(secret.charAt(0), from)
      if (at >= 0 && at < first) first = at
    }
    return first
  }

  /** The secret that stands at `at`. */
  matchAt(text: string, at: number): string | undefined {
    return this.texts.find((secret) => text.startsWith(secret, at))
  }

  /** All that is left from `at` on is the beginning of a secret. */
  beginsAt(text: string, at: number): boolean {
    const left = text.length - at
    return this.texts.some((secret) => left < secret.length && secret.startsWith(text.slice(at)))
  }
}

export const noSecrets = new Secrets([])

/** One text that arrives in pieces. */
export class SafeText {
  readonly #secrets: Secrets
  #held = ""

  constructor(secrets: Secrets) {
    this.#secrets = secrets
  }

  /** What may be shown now that `piece` arrived. */
  push(piece: string): string {
    return this.#scan(this.#held + piece, false)
  }

  /** What was held back. Nothing may be pushed after it. */
  close(): string {
    return this.#scan(this.#held, true)
  }

  #scan(text: string, closing: boolean): string {
    const secrets = this.#secrets
    let shown = ""
    let from = 0
    let at = secrets.candidate(text, 0)
    while (at < text.length) {
      const begins = secrets.beginsAt(text, at)
      if (begins && !closing) break
      const match = secrets.matchAt(text, at)
      const length = match?.length ?? (begins && text.length - at >= leastUnits ? text.length - at : 0)
      if (length > 0) {
        shown += text.slice(from, at) + redacted
        from = at + length
      }
      at = secrets.candidate(text, length > 0 ? from : at + 1)
    }
    const end = !closing && at === text.length && isHighSurrogate(text.charCodeAt(at - 1)) && at > from ? at - 1 : at
    this.#held = text.slice(end)
    return (shown + text.slice(from, end)).toWellFormed()
  }
}

/** A text that is there as a whole. */
export const safeText = (secrets: Secrets, text: string): string => {
  const safe = new SafeText(secrets)
  return safe.push(text) + safe.close()
}

/** `value` with every text in it made safe; names of fields stay. */
export const safeValue = <Value>(secrets: Secrets, value: Value): Value => safeUnknown(secrets, value) as Value

const safeUnknown = (secrets: Secrets, value: unknown): unknown => {
  if (typeof value === "string") return safeText(secrets, value)
  if (Array.isArray(value)) return value.map((element) => safeUnknown(secrets, element))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, safeUnknown(secrets, field)]))
}
