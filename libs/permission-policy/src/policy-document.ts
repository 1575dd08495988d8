/**
 * Reading the text of a policy or trust file.
 *
 * Owns: what is valid, and the position of the first fault.
 */
import { PolicyFile, PolicyTrust } from "@steno/contracts"
import { Result, Schema, SchemaIssue } from "effect"
import { compileRules, type PolicyFault } from "./policy-layers.ts"
import type { RulePlace } from "./policy-rules.ts"

type Fault = Omit<PolicyFault, "path">

const maximumBytes = 1_048_576
const parseOptions = { onExcessProperty: "error", errors: "first" } as const
const decodePolicy = Schema.decodeUnknownResult(PolicyFile, parseOptions)
const decodeTrust = Schema.decodeUnknownResult(PolicyTrust, parseOptions)
const formatIssue = SchemaIssue.makeFormatterStandardSchemaV1()

const parsed = (text: string): Result.Result<unknown, string> => {
  try {
    return Result.succeed(JSON.parse(text))
  } catch (error) {
    return Result.fail(error instanceof Error ? error.message : String(error))
  }
}

/** Whether the fault of this beginning lies only in that it ends. */
const isOnlyCutOff = (beginning: string): boolean => {
  const result = parsed(beginning)
  if (Result.isSuccess(result)) return true
  const at = /position (\d+)/.exec(result.failure)?.[1]
  return /end of JSON input|Unterminated/.test(result.failure) || (at !== undefined && Number(at) >= beginning.length)
}

/** Offset of the first character that makes the text invalid; a beginning is valid, or cut off, or stays invalid. */
const faultOffset = (text: string): number => {
  let [good, bad] = [0, text.length]
  if (isOnlyCutOff(text)) return text.length
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (isOnlyCutOff(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return bad - 1
}

const lineAndColumn = (text: string, offset: number): string => {
  const before = text.slice(0, offset).split("\n")
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

const keyPath = (path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>): string =>
  path.map((step) => (typeof step === "object" ? step.key : step)).reduce<string>((written, step) => {
    if (typeof step === "number") return `${written}[${step}]`
    return written === "" ? String(step) : `${written}.${String(step)}`
  }, "")

const shapeFault = (issue: SchemaIssue.Issue): Fault => {
  const [first] = formatIssue(issue).issues
  const position = keyPath(first?.path ?? [])
  return { position: position === "" ? "file" : position, explanation: first?.message ?? "it has another shape" }
}

const jsonOf = (bytes: Uint8Array): Result.Result<unknown, Fault> => {
  if (bytes.length > maximumBytes) return Result.fail({ position: "file", explanation: "it is larger than 1 MiB" })
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return Result.fail({ position: "file", explanation: "it is not UTF-8" })
  }
  return Result.mapError(parsed(text), (): Fault => ({ position: lineAndColumn(text, faultOffset(text)), explanation: "it is not JSON" }))
}

/** Every rule is read as it will be held against calls. */
export const readPolicyText = (bytes: Uint8Array, place: RulePlace): Result.Result<PolicyFile, Fault> =>
  Result.flatMap(jsonOf(bytes), (json) =>
    Result.flatMap(Result.mapError(decodePolicy(json), ({ issue }) => shapeFault(issue)), (file) =>
      Result.map(compileRules(file.rules, place), () => file)))

export const readTrustText = (bytes: Uint8Array): Result.Result<PolicyTrust, Fault> =>
  Result.flatMap(jsonOf(bytes), (json) => Result.mapError(decodeTrust(json), ({ issue }) => shapeFault(issue)))

/** Two-space indented, newline at the end. */
export const writtenText = (content: PolicyFile | PolicyTrust): string => `${JSON.stringify(content, null, 2)}\n`
