/**
 * Real outputs of commands with the lines, read off by hand, that an engineer needs of them.
 *
 * Owns: the form of a case on disk and reading it.
 * Never owns: what a score is (score).
 */
import { Schema } from "effect"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gunzipSync } from "node:zlib"
import { visibleText } from "./shown-text.ts"

const Label = Schema.Struct({
  text: Schema.String,
  /** 1-based line of the output. */
  line: Schema.Int,
  /** The text is a part of a very long line. */
  fragment: Schema.optionalKey(Schema.Boolean),
  /** The same fact as other lines tell it. */
  alt: Schema.optionalKey(Schema.Array(Schema.String))
})
export type Label = typeof Label.Type

const Meta = Schema.Struct({
  id: Schema.String,
  tool: Schema.String,
  command: Schema.String,
  cwd: Schema.String,
  exitCode: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  lines: Schema.Int,
  bytes: Schema.Int,
  /** Where the decisive lines stand: start, middle, end, several, long-line. */
  zone: Schema.String,
  /** What one has to see in order to act without running the command again. */
  mustKeep: Schema.NonEmptyArray(Label),
  shouldKeep: Schema.Array(Label),
  /** Lines that sound important and are not. */
  decoys: Schema.Array(Label),
  decoyPattern: Schema.NullOr(Schema.String)
})

export interface LabelledCase extends Schema.Schema.Type<typeof Meta> {
  readonly output: Buffer
  readonly text: string
  /** The text without escape sequences. */
  readonly visible: string
}

export interface CaseSet {
  /** The folder's name. */
  readonly name: string
  readonly cases: ReadonlyArray<LabelledCase>
}

const decodeMeta = Schema.decodeUnknownSync(Schema.fromJsonString(Meta))

const outputIn = (folder: string): Buffer => {
  const plain = join(folder, "output.bin")
  return existsSync(plain) ? readFileSync(plain) : gunzipSync(readFileSync(`${plain}.gz`))
}

const readCase = (folder: string): LabelledCase => {
  const output = outputIn(folder)
  const text = output.toString("utf8")
  return { ...decodeMeta(readFileSync(join(folder, "meta.json"), "utf8")), output, text, visible: visibleText(text) }
}

export const toolFolder = fileURLToPath(new URL("../", import.meta.url))

/** Both sets, each in the order of its folders' names. */
export const caseSets = (): ReadonlyArray<CaseSet> =>
  ["cases", "more-cases"].map((name) => ({
    name,
    cases: readdirSync(join(toolFolder, name)).sort().map((id) => readCase(join(toolFolder, name, id)))
  }))
