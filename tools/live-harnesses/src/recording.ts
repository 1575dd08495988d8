/**
 * The form of a recording: what one harness program and its client said to each other, line by line.
 *
 * Owns: the names and schemas of a recording's files, reading and writing them.
 * Never owns: what a line means, how it came to be (record), which words are replaced in it (redaction).
 * Ordering: lines stand in the order in which the recorder sent or read them.
 */
import { Schema } from "effect"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const recordingsFolder = fileURLToPath(new URL("../recordings/", import.meta.url))

export const headerFile = "recording.json"
export const linesFile = "lines.jsonl"
export const scriptFile = "model-script.json"

export const RecordedLine = Schema.Struct({
  /** Which process of the recording, from 1. */
  process: Schema.Int,
  /** `in`: to the program's stdin; `out`: from its stdout; `err`: from its stderr. */
  direction: Schema.Literals(["in", "out", "err"]),
  /** Since the first process was started. */
  ms: Schema.Int,
  /** The raw line without its newline, redacted. */
  line: Schema.String
})
export type RecordedLine = typeof RecordedLine.Type

const RecordedExit = Schema.Struct({
  /** Of the program, without its own path. */
  arguments: Schema.Array(Schema.String),
  startedMs: Schema.Int,
  exitedMs: Schema.Int,
  code: Schema.NullOr(Schema.Int),
  signal: Schema.NullOr(Schema.String),
  /** What the recorder did to end it. */
  endedBy: Schema.Literals(["itself", "stdin-closed", "SIGTERM", "SIGKILL"])
})

const RecordedModelRequest = Schema.Struct({
  ms: Schema.Int,
  outcome: Schema.Literals(["answer", "error", "mismatch"]),
  /** The step of the model script. */
  played: Schema.String
})

export const RecordingHeader = Schema.Struct({
  format: Schema.Literal(1),
  harness: Schema.String,
  version: Schema.String,
  protocol: Schema.String,
  platform: Schema.String,
  /** Day, UTC. */
  date: Schema.String,
  scenario: Schema.String,
  description: Schema.String,
  modelScript: Schema.Literal(scriptFile),
  processes: Schema.Array(RecordedExit),
  modelRequests: Schema.Array(RecordedModelRequest),
  /** What was seen beside the lines: processes, files, what the model was sent. */
  observations: Schema.Record(Schema.String, Schema.Json),
  /** Placeholder and what it stands for. */
  redactions: Schema.Record(Schema.String, Schema.String),
  /** Records it again, from the workspace's root. */
  refresh: Schema.String
})
export type RecordingHeader = typeof RecordingHeader.Type

const decodeHeader = Schema.decodeUnknownSync(RecordingHeader, { onExcessProperty: "error" })
const decodeLine = Schema.decodeUnknownSync(RecordedLine, { onExcessProperty: "error" })

export interface RecordingPlace {
  readonly harness: string
  readonly scenario: string
  readonly folder: string
}

/** Every folder of `recordings/<harness>/<scenario>`. */
export const recordingPlaces = (): ReadonlyArray<RecordingPlace> =>
  readdirSync(recordingsFolder).flatMap((harness) =>
    readdirSync(join(recordingsFolder, harness)).map((scenario) => ({ harness, scenario, folder: join(recordingsFolder, harness, scenario) }))
  )

/** Throws what reading and decoding throw. */
export const readHeader = (folder: string): RecordingHeader => decodeHeader(JSON.parse(readFileSync(join(folder, headerFile), "utf8")))

export const readLines = (folder: string): ReadonlyArray<RecordedLine> =>
  readFileSync(join(folder, linesFile), "utf8").trimEnd().split("\n").map((text) => decodeLine(JSON.parse(text)))

export const writeRecording = (
  { folder }: RecordingPlace,
  recorded: { readonly header: RecordingHeader; readonly lines: ReadonlyArray<RecordedLine>; readonly script: unknown }
): void => {
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, headerFile), json(decodeHeader(recorded.header)))
  writeFileSync(join(folder, linesFile), recorded.lines.map((line) => `${JSON.stringify(decodeLine(line))}\n`).join(""))
  writeFileSync(join(folder, scriptFile), json(recorded.script))
}
