/**
 * What a call is, in the words of the Seam.
 *
 * Owns: kinds to tools, the one string of an input, targets, plain text of a content.
 * Never owns: when a call is told (session-calls), patches (diff-patch).
 */
import type { ToolKind } from "@agentclientprotocol/sdk"
import type { ChangedFile, SeamTool } from "@steno/harness-seam"
import { firstWordsOf, type JsonRecord, recordOf, recordsOf, textOf, wordsOf } from "./lenient-value.ts"

/** What is known of a call; later facts go over earlier ones. */
export interface CallFacts {
  /** The first title, or the name of the tool. */
  readonly name?: string
  readonly title?: string
  readonly kind?: string
  readonly input: JsonRecord
  readonly paths: ReadonlyArray<string>
}

export const noFacts: CallFacts = { input: {}, paths: [] }

const pathsOf = (value: unknown): ReadonlyArray<string> =>
  recordsOf(value).flatMap(({ path }) => {
    const words = wordsOf(path)
    return words === undefined ? [] : [words]
  })

/** `facts` with what `update` says of the call. */
export const factsOf = (facts: CallFacts, update: JsonRecord): CallFacts => {
  const title = wordsOf(update.title)
  const name = facts.name ?? wordsOf(update.name) ?? title
  const kind = textOf(update.kind)
  const input = recordOf(update.rawInput)
  const paths = pathsOf(update.locations)
  return {
    ...facts,
    ...(name === undefined ? {} : { name }),
    ...(title === undefined ? {} : { title }),
    ...(kind === undefined ? {} : { kind }),
    ...(Object.keys(input).length === 0 ? {} : { input: { ...facts.input, ...input } }),
    ...(paths.length === 0 ? {} : { paths })
  }
}

const tools: ReadonlyMap<string, SeamTool> = new Map<ToolKind, SeamTool>([
  ["read", "read"],
  ["search", "search"],
  ["execute", "command"],
  ["edit", "file-change"],
  ["delete", "file-change"],
  ["move", "file-change"],
  ["fetch", "web"]
])

export const toolOf = ({ input, kind = "other" }: CallFacts): SeamTool =>
  kind === "think" && wordsOf(input.subagent_type) !== undefined ? "subagent" : tools.get(kind) ?? "other"

const inputNames: Readonly<Partial<Record<SeamTool, ReadonlyArray<string>>>> = {
  command: ["command"],
  read: ["filePath", "file_path", "path", "absolute_path"],
  search: ["pattern", "query"],
  web: ["url", "query"],
  subagent: ["prompt", "description"]
}

export const inputOf = (facts: CallFacts): string => {
  const tool = toolOf(facts)
  const named = firstWordsOf(facts.input, inputNames[tool] ?? [])
  const words = Array.isArray(facts.input.command) ? facts.input.command.filter((word) => typeof word === "string") : []
  if (named !== undefined) return named
  if (tool === "command" && words.length > 0) return words.join(" ")
  if (tool === "file-change") return facts.paths.join(", ") || facts.title || ""
  if (tool !== "other") return facts.title ?? ""
  const name = facts.name ?? ""
  return Object.keys(facts.input).length === 0 ? name : `${name} · ${JSON.stringify(facts.input)}`
}

/** The files that a change is about, before it is done. */
export const targetsOf = (facts: CallFacts): ReadonlyArray<ChangedFile> =>
  toolOf(facts) !== "file-change"
    ? []
    : facts.paths.map((path) => (facts.kind === "delete" ? { path, kind: "delete" } : { path }))

/** The text of a content; undefined where it has none. */
export const contentText = (content: unknown): string | undefined => {
  const texts = recordsOf(content).flatMap((part) => {
    const text = part.type === "content" ? textOf(recordOf(part.content).text) : undefined
    return text === undefined ? [] : [text]
  })
  return texts.length === 0 ? undefined : texts.join("\n")
}

/** Ids of the terminals that a content shows. */
export const terminalsIn = (content: unknown): ReadonlyArray<string> =>
  recordsOf(content).flatMap((part) => {
    const id = part.type === "terminal" ? textOf(part.terminalId) : undefined
    return id === undefined ? [] : [id]
  })
