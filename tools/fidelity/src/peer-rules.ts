/**
 * How other agents' tools shorten an output, as far as it is known.
 *
 * Owns: one rule per tool and where it comes from: `source` (its public code), `reported` (public reports of its users) or
 * `measured` (an installed program was watched).
 * Limits: an installed version may differ; what those tools add about the exit code is left out.
 */
import { endOf, startOf } from "./byte-cuts.ts"
import type { LabelledCase } from "./labelled-case.ts"
import type { Rule } from "./simple-rules.ts"

const savedAs = "/srv/tmp/full-output.txt"

const sizeWords = (bytes: number): string =>
  bytes >= 1_048_576 ? `${(bytes / 1_048_576).toFixed(1)}MB` : bytes >= 1_024 ? `${(bytes / 1_024).toFixed(1)}KB` : `${bytes}B`

const linesOf = (text: string): ReadonlyArray<string> => (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n")

const codexWindowBytes = 1_048_576
const codexBudgetBytes = 40_000
const codexTokenBytes = 4

/** openai/codex, `formatted_truncate_text`: a window of 1 MiB, then its middle cut to 10,000 tokens. */
const codex: Rule = ({ output, text }) => {
  const half = codexWindowBytes / 2
  const windowed = output.length <= codexWindowBytes
    ? text
    : `${startOf(output, half)}\n... ${output.length - codexWindowBytes} bytes omitted ...\n${endOf(output, half)}`
  const bytes = Buffer.from(windowed)
  if (bytes.length <= codexBudgetBytes) return windowed
  const tokens = (count: number) => Math.ceil(count / codexTokenBytes)
  return `Warning: truncated output (original token count: ${tokens(bytes.length)})\n` +
    `Total output lines: ${linesOf(windowed).length}\n\n` +
    startOf(bytes, codexBudgetBytes / 2) +
    `…${tokens(bytes.length - codexBudgetBytes)} tokens truncated…` +
    endOf(bytes, codexBudgetBytes / 2)
}

const codexWithoutMetadata: Rule = ({ lines, output, text }) =>
  output.length <= 10_000
    ? text
    : `Total output lines: ${lines}\n\n${startOf(output, 5_000)}… truncated …${endOf(output, 5_000)}`

const tailLines = 2_000
const tailBytes = 51_200

interface Tail {
  readonly text: string
  readonly lines: number
  readonly endedBy: "lines" | "bytes"
  /** Not one whole line fitted, so the text is the end of the last one. */
  readonly isPart: boolean
}

/** The last whole lines that fit 2,000 lines and 50 KiB. */
const tailOf = (lines: ReadonlyArray<string>): Tail => {
  const kept: Array<string> = []
  let bytes = 0
  for (const line of lines.toReversed()) {
    if (kept.length === tailLines) break
    const cost = Buffer.byteLength(line) + (kept.length === 0 ? 0 : 1)
    if (bytes + cost > tailBytes) {
      return kept.length === 0
        ? { text: endOf(Buffer.from(line), tailBytes), lines: 1, endedBy: "bytes", isPart: true }
        : { text: kept.toReversed().join("\n"), lines: kept.length, endedBy: "bytes", isPart: false }
    }
    kept.push(line)
    bytes += cost
  }
  return { text: kept.toReversed().join("\n"), lines: kept.length, endedBy: "lines", isPart: false }
}

const fitsTail = ({ output, text }: LabelledCase): boolean => linesOf(text).length <= tailLines && output.length <= tailBytes

/** anomalyco/opencode, `tool/truncate.ts`. */
const opencode: Rule = (labelled) =>
  fitsTail(labelled)
    ? labelled.text
    : `...output truncated...\n\nFull output saved to: ${savedAs}\n\n${tailOf(linesOf(labelled.text)).text}`

/** badlogic/pi-mono, `tools/bash.ts`: the notice comes after the text. */
const pi: Rule = (labelled) => {
  if (fitsTail(labelled)) return labelled.text
  const lines = linesOf(labelled.text)
  const tail = tailOf(lines)
  const range = `lines ${lines.length - tail.lines + 1}-${lines.length} of ${lines.length}`
  const shown = tail.isPart
    ? `last ${sizeWords(Buffer.byteLength(tail.text))} of line ${lines.length} (line is ${sizeWords(Buffer.byteLength(lines.at(-1) ?? ""))})`
    : tail.endedBy === "bytes"
    ? `${range} (50.0KB limit)`
    : range
  return `${tail.text}\n\n[Showing ${shown}. Full output: ${savedAs}]`
}

const claudeCharacters = 30_000

const claudePreview: Rule = ({ output, text }) =>
  text.length <= claudeCharacters
    ? text
    : `<persisted-output>\nOutput too large (${sizeWords(output.length)}). Full output saved to: ${savedAs}\n\n` +
      `Preview (first 2KB):\n${text.slice(0, 2_000)}\n...\n</persisted-output>`

const claudeMiddleCut: Rule = ({ text }) => {
  const half = claudeCharacters / 2
  const cut = text.length - claudeCharacters
  return cut <= 0 ? text : `${text.slice(0, half)}\n\n... [${cut} characters truncated] ...\n\n${text.slice(-half)}`
}

/** A failure shows both ends of its first 30,000 characters, a success the preview. */
const claudeWatched: Rule = (labelled) => {
  const { exitCode, text } = labelled
  if (exitCode === null || exitCode === 0) return claudePreview(labelled)
  const seen = text.slice(0, claudeCharacters)
  return text.length <= 10_000 ? text : `${seen.slice(0, 5_000)}\n\n... [truncated] ...\n\n${seen.slice(-5_000)}`
}

export const peerRules: Readonly<Record<string, Rule>> = {
  "codex, 10,000 tokens (source)": codex,
  "codex 0.171, 10 KB (measured)": codexWithoutMetadata,
  "opencode, tail of 50 KiB (source)": opencode,
  "pi, tail of 50 KiB (source)": pi,
  "claude ≥ 2.1.2 (reported)": claudePreview,
  "claude < 2.1.2 (reported)": claudeMiddleCut,
  "claude 2.1.197 (measured)": claudeWatched
}
