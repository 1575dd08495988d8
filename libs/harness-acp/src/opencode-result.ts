/**
 * Reads what opencode puts into `rawOutput`.
 *
 * Owns: exit codes, output before its words about an abort, whole patches, which calls a cancel broke off.
 * Limits: of the version that the recordings are of; another form of a field is as if it were not there.
 */
import type { ChangedFile } from "@steno/harness-seam"
import { toolOf } from "./call-fields.ts"
import { type CallResult, type ReadCallResult, readPlainResult } from "./call-result.ts"
import { countOf, integerOf, type JsonRecord, recordOf, textOf, wordsOf } from "./lenient-value.ts"

/** Its words in front of a cut output: a line, and where the whole was saved to. */
const omissionOf = (text: string | undefined): string | undefined => {
  const [first, second] = text?.split("\n\n") ?? []
  return second?.startsWith("Full output") === true ? `${first}\n\n${second}` : wordsOf(first)
}

/** The report of a sub-agent without its frame, which names the native session. */
const reportOf = (text: string): string => /<task_result>\n([\s\S]*)\n<\/task_result>/.exec(text)?.[1] ?? text

const changedFile = (metadata: JsonRecord): ChangedFile | undefined => {
  const diff = recordOf(metadata.filediff)
  const path = wordsOf(diff.file) ?? wordsOf(metadata.filepath)
  if (path === undefined) return undefined
  const [patch, additions, removals] = [textOf(diff.patch), countOf(diff.additions), countOf(diff.deletions)]
  const existed = metadata.exists === false ? "create" : "update"
  return {
    path,
    kind: existed,
    ...(patch === undefined ? {} : { patch }),
    ...(additions === undefined ? {} : { additions }),
    ...(removals === undefined ? {} : { removals })
  }
}

export const readOpencodeResult: ReadCallResult = (facts, update) => {
  const plain = readPlainResult(facts, update)
  const raw = recordOf(update.rawOutput)
  const metadata = recordOf(raw.metadata)
  const tool = toolOf(facts)
  const result: { -readonly [Name in keyof CallResult]: CallResult[Name] } = { ...plain }
  const error = wordsOf(raw.error)
  if (error !== undefined) {
    result.error = error
    if (result.output === error) delete result.output
  }
  if (metadata.interrupted === true) result.brokenOff = true
  if (metadata.truncated === true) {
    const omission = omissionOf(plain.output)
    if (omission !== undefined) result.nativeOmission = omission
  }
  if (tool === "command") {
    const exitCode = integerOf(metadata.exit)
    if (exitCode !== undefined) result.exitCode = exitCode
    if (metadata.exit === null) {
      result.brokenOff = true
      const output = textOf(metadata.output)
      if (output !== undefined) result.output = output
    }
  }
  if (tool === "subagent" && result.output !== undefined) result.output = reportOf(result.output)
  if (tool === "file-change") {
    const file = changedFile(metadata)
    if (file !== undefined) result.files = [file]
  }
  return result
}
