/**
 * The policies of `async_bash` and `agent`: how background work stands; pages of logs go by process diagnostics.
 *
 * Limits: each fact once; no environment, no process internals; a command by its first line.
 */
import { argumentLines } from "./argument-lines.ts"
import { type Candidate, makeCandidate, textItem } from "./candidate.ts"
import { firstOf, lastOf } from "./card-lines.ts"
import { clipCharacters } from "./clipped-text.ts"
import { viewOfLogPage } from "./process-texts.ts"
import type {
  AgentArguments,
  AsyncBashArguments,
  LifecycleEntry,
  LifecycleResult,
  LogPage
} from "./tool-results.ts"
import { byStrategy, type CardSides, type ValuePolicy } from "./tool-policy.ts"
import { visibleLines } from "./visible-lines.ts"

const sentenceCharacters = 200

const firstLine = (text: string): string =>
  clipCharacters((visibleLines(text).find((line) => line.trim() !== "") ?? "").trim(), sentenceCharacters)

const readinessWords: { readonly [Readiness in NonNullable<LifecycleEntry["readiness"]>]: string } = {
  ready: "ready",
  timed_out: "not ready in time",
  exited: "ended before it was ready"
}

/** `bash_…: running, ready; command: npm run dev` */
const entryLine = (entry: LifecycleEntry): string => {
  const state = [
    entry.status,
    ...(entry.readiness === undefined ? [] : [readinessWords[entry.readiness]]),
    ...(entry.exitCode === undefined ? [] : [`exit code ${entry.exitCode}`]),
    ...(entry.signal === undefined ? [] : [`signal ${entry.signal}`]),
    ...(entry.startedAt === undefined ? [] : [`started ${entry.startedAt}`]),
    ...(entry.finishedAt === undefined ? [] : [`finished ${entry.finishedAt}`])
  ].join(", ")
  const rest = [
    ...(entry.label === undefined ? [] : [`label: ${firstLine(entry.label)}`]),
    ...(entry.command === undefined ? [] : [`command: ${firstLine(entry.command)}`]),
    ...(entry.fault === undefined ? [] : [`fault: ${firstLine(entry.fault)}`])
  ]
  return [`${entry.id}: ${state}`, ...rest].join("; ")
}

const statusLines = (result: LifecycleResult, none: string): ReadonlyArray<string> =>
  result.entries.length === 0
    ? [none]
    : result.alreadyTerminal === true
    ? ["It had ended before; nothing was stopped."]
    : []

const candidateOf = (noun: string, plural: string, none: string) => (result: LifecycleResult): Candidate =>
  makeCandidate({
    status: statusLines(result, none),
    items: result.entries.map((entry) => textItem(entryLine(entry), noun)),
    counts: [{ noun, plural, total: result.entries.length }],
    overflow: { noun, plural, guidance: "Ask for one of them by its id." }
  })

const commandView = byStrategy(
  "lifecycle_state",
  "item-aware",
  candidateOf("command", "commands", "No background command.")
)

/** The command is on the other side of the card. */
const cardEntries = (result: LifecycleResult | undefined, noun: string) =>
  firstOf((result?.entries ?? []).map(({ command: _command, ...entry }) => entryLine(entry)), noun)

const commandCard = (args: AsyncBashArguments, result: LifecycleResult | LogPage | undefined): CardSides => {
  const { command, cwd, id } = args
  return args.action === "logs"
    ? {
      arguments: firstOf(argumentLines({ id }), "lines"),
      result: lastOf(result?.kind === "logs" ? result.lines : [], "lines"),
      first: "result"
    }
    : {
      arguments: firstOf([...visibleLines(command ?? ""), ...argumentLines({ cwd, id })], "lines"),
      result: cardEntries(result?.kind === "state" ? result : undefined, "commands"),
      first: "result"
    }
}

export const asyncBashPolicy: ValuePolicy<AsyncBashArguments, LifecycleResult | LogPage> = {
  kind: "value",
  profiles: ["lifecycle_state", "process_diagnostics"],
  view: (result, files) => result.kind === "logs" ? viewOfLogPage(result) : commandView(result, files),
  card: commandCard
}

const promptLines = ({ label, prompt }: AgentArguments): ReadonlyArray<string> => {
  const [first = "", ...rest] = visibleLines(prompt ?? "")
  return label === undefined ? [first, ...rest] : [`${firstLine(label)}: ${first}`, ...rest]
}

export const agentPolicy: ValuePolicy<AgentArguments, LifecycleResult> = {
  kind: "value",
  profiles: ["lifecycle_state"],
  view: byStrategy("lifecycle_state", "item-aware", candidateOf("sub-agent", "sub-agents", "No sub-agent.")),
  card: (args, result) => ({
    arguments: args.prompt === undefined && args.label === undefined
      ? firstOf(argumentLines({ action: args.action, id: args.id }), "lines")
      : firstOf(promptLines(args), "lines"),
    result: cardEntries(result, "lines"),
    first: "result"
  })
}
