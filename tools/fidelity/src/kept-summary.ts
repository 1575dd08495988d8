/**
 * The figures of every case as they are kept in the repository, so that a change shows what it gained and lost.
 *
 * Owns: the form of summary.json and the comparison of two of them.
 * Limits: same figures, same text: sets and cases stand in their order, one case per line.
 */
import { Schema } from "effect"
import type { CaseScore } from "./score.ts"

const Figures = Schema.Struct({
  /** Kept of how many. */
  must: Schema.Tuple([Schema.Int, Schema.Int]),
  should: Schema.Tuple([Schema.Int, Schema.Int]),
  decoys: Schema.Int,
  bytes: Schema.Int,
  lines: Schema.Int,
  missed: Schema.Array(Schema.String),
  missedShould: Schema.Array(Schema.String)
})
type Figures = typeof Figures.Type

const KeptSummary = Schema.Record(Schema.String, Schema.Record(Schema.String, Figures))
/** Figures by set and case. */
export type KeptSummary = typeof KeptSummary.Type

export const readSummary: (json: string) => KeptSummary = Schema.decodeUnknownSync(Schema.fromJsonString(KeptSummary))

export const summaryOf = (sets: ReadonlyArray<{ readonly name: string; readonly scores: ReadonlyArray<CaseScore> }>): KeptSummary =>
  Object.fromEntries(sets.map(({ name, scores }) => [
    name,
    Object.fromEntries(scores.map(({ bytes, decoys, id, lines, missed, missedShould, mustKept, mustOf, shouldKept, shouldOf }) => [
      id,
      { must: [mustKept, mustOf], should: [shouldKept, shouldOf], decoys, bytes, lines, missed, missedShould } satisfies Figures
    ]))
  ]))

export const summaryText = (summary: KeptSummary): string => {
  const sets = Object.entries(summary).map(([name, cases]) => {
    const lines = Object.entries(cases).map(([id, figures]) => `    ${JSON.stringify(id)}: ${JSON.stringify(figures)}`)
    return `  ${JSON.stringify(name)}: {\n${lines.join(",\n")}\n  }`
  })
  return `{\n${sets.join(",\n")}\n}\n`
}

const shownCharacters = 150
const only = (sign: string, what: string, texts: ReadonlyArray<string>, without: ReadonlyArray<string>): ReadonlyArray<string> =>
  texts.filter((text) => !without.includes(text)).map((text) => `${sign} ${what}: ${text.slice(0, shownCharacters)}`)

const moved = (noun: string, before: number, now: number): ReadonlyArray<string> =>
  before === now ? [] : [`${noun} ${before} → ${now}`]

const changesOfCase = (name: string, before: Figures | undefined, now: Figures | undefined): ReadonlyArray<string> => {
  if (before === undefined) return [`${name}: a new case`]
  if (now === undefined) return [`${name}: the case is gone`]
  const amounts = [
    ...moved("labels to keep", before.must[1] + before.should[1], now.must[1] + now.should[1]),
    ...moved("decoys", before.decoys, now.decoys),
    ...moved("bytes", before.bytes, now.bytes),
    ...moved("lines", before.lines, now.lines)
  ]
  const changes = [
    ...only("-", "lost", now.missed, before.missed),
    ...only("+", "gained", before.missed, now.missed),
    ...only("-", "lost (should)", now.missedShould, before.missedShould),
    ...only("+", "gained (should)", before.missedShould, now.missedShould),
    ...(amounts.length === 0 ? [] : [`~ ${amounts.join(", ")}`])
  ]
  return changes.length === 0 ? [] : [name, ...changes.map((change) => `  ${change}`)]
}

/** Each case that differs with what it gained and lost; empty when none does. */
export const changesBetween = (before: KeptSummary, now: KeptSummary): ReadonlyArray<string> => {
  const names = (one: object = {}, other: object = {}) => [...new Set([...Object.keys(one), ...Object.keys(other)])].sort()
  return names(before, now).flatMap((set) =>
    names(before[set], now[set]).flatMap((id) => changesOfCase(`${set}/${id}`, before[set]?.[id], now[set]?.[id]))
  )
}
