/**
 * From the result of a call to what a model and a card see: the whole way of a value.
 *
 * Ordering: file claims, then ends that hide a result, then the tool's policy, then the line of a person's command.
 * Limits: never throws; what no policy can show goes by the conservative fallback, with a warning.
 */
import type { CallReason, CardProjection } from "@steno/contracts"
import { Result } from "effect"
import { genericPreview } from "./card-generic.ts"
import { firstOf, makeCard } from "./card-lines.ts"
import { checkFileClaims, type FoundFile, type RegisteredFile } from "./file-claims.ts"
import { commandLine, countWords } from "./process-status.ts"
import { fallbackPolicy } from "./policy-fallback.ts"
import { profiles } from "./profiles.ts"
import type { ProcessFacts, Projection } from "./result-policy.ts"
import { type EndFacts, endsWithoutResult, resourceOf, terminalOutcome } from "./strategy-terminal-outcome.ts"
import { isValueTool, valuePolicies } from "./tool-policies.ts"
import type { CardSides } from "./tool-policy.ts"
import type { ToolValues, ValueTool } from "./tool-results.ts"
import { type AgentView, viewOfReduced } from "./value-view.ts"

export interface ValueCall {
  readonly tool: string
  readonly origin: ProcessFacts["origin"]
  readonly end: EndFacts
  readonly durationMs?: number
  readonly arguments: unknown
  /** Absent: the tool returned nothing, because it did not run or threw. */
  readonly result?: unknown
  /** What the tool says about files it wrote; shown only where `found` agrees. */
  readonly claims?: ReadonlyArray<unknown>
  /** Files of the call's own folder. */
  readonly found?: ReadonlyArray<FoundFile>
  /** Managed files registered for this call: its complete result, its reports. */
  readonly files?: ReadonlyArray<RegisteredFile>
}

interface Shown {
  readonly view: AgentView
  readonly card: CardSides
  readonly warnings: ReadonlyArray<CallReason>
}

const attempt = <A>(make: () => A): A | undefined => Result.getOrUndefined(Result.try(make))

const nothingShown: AgentView = viewOfReduced(
  profiles.conservative_fallback,
  {
    strategy: "head",
    lines: ["The result could not be shown."],
    images: [],
    payload: { lines: 0, bytes: 0 },
    kept: [],
    omitted: []
  },
  { lines: 0, bytes: 0 }
)

const emptySides: CardSides = { arguments: firstOf([], "entries"), result: firstOf([], "entries"), first: "arguments" }

const fallbackView = (call: ValueCall, files: ReadonlyArray<RegisteredFile>): AgentView =>
  attempt(() => fallbackPolicy.view(call.result, files)) ?? nothingShown

const fallbackCard = (call: ValueCall, files: ReadonlyArray<RegisteredFile>): CardSides =>
  attempt((): CardSides => ({
    arguments: genericPreview(call.arguments),
    result: genericPreview(call.result, new Set(files.map(({ path }) => path))),
    first: "arguments"
  })) ?? emptySides

const warningUnless = (shown: unknown, code: string, text: string): ReadonlyArray<CallReason> =>
  shown === undefined ? [{ code, text }] : []

const byPolicy = <Name extends ValueTool>(tool: Name, call: ValueCall, files: ReadonlyArray<RegisteredFile>): Shown => {
  const policy = valuePolicies[tool]
  const args = call.arguments as ToolValues[Name]["arguments"]
  const result = call.result as ToolValues[Name]["result"]
  const view = attempt(() => policy.view(result, files))
  const card = attempt(() => policy.card(args, result))
  return {
    view: view ?? fallbackView(call, files),
    card: card ?? fallbackCard(call, files),
    warnings: [
      ...warningUnless(view, "policy-failed", `The policy of ${tool} could not show this result to a model.`),
      ...warningUnless(card, "card-failed", `The policy of ${tool} could not show this result on a card.`)
    ]
  }
}

const terminal = (call: ValueCall): Shown => {
  const resource = resourceOf(call.arguments)
  const reduced = terminalOutcome({ ...call.end, tool: call.tool, ...(resource === undefined ? {} : { resource }) })
  const { tool } = call
  const sides = attempt(() => isValueTool(tool) ? cardWithoutResult(tool, call.arguments) : undefined)
  return {
    view: viewOfReduced(profiles.terminal_outcome, reduced, reduced.total),
    card: {
      arguments: sides?.arguments ?? attempt(() => genericPreview(call.arguments)) ?? emptySides.arguments,
      result: firstOf(reduced.lines, "lines"),
      first: sides?.first ?? "arguments"
    },
    warnings: []
  }
}

const cardWithoutResult = <Name extends ValueTool>(tool: Name, args: unknown): CardSides =>
  valuePolicies[tool].card(args as ToolValues[Name]["arguments"], undefined)

const isTerminal = ({ end, result }: ValueCall): boolean =>
  endsWithoutResult(end.outcome) || (end.outcome === "failed" && result === undefined)

const show = (call: ValueCall, files: ReadonlyArray<RegisteredFile>): Shown => {
  if (isTerminal(call)) return terminal(call)
  return isValueTool(call.tool)
    ? byPolicy(call.tool, call, files)
    : {
      view: fallbackView(call, files),
      card: fallbackCard(call, files),
      warnings: [{ code: "no-policy", text: "The tool has no policy of its own." }]
    }
}

const commandOf = ({ arguments: args, tool }: ValueCall): string =>
  typeof args === "object" && args !== null && "command" in args && typeof args.command === "string" ? args.command : tool

const statsOf = ({ decision }: AgentView, { durationMs }: ValueCall): NonNullable<CardProjection["stats"]> => ({
  lines: decision.totalLines,
  bytes: decision.totalBytes,
  ...(durationMs === undefined ? {} : { durationMs })
})

export const projectValue = (call: ValueCall): Projection => {
  const claims = checkFileClaims(call.claims ?? [], call.found ?? [])
  const { card, view, warnings } = show(call, [...call.files ?? [], ...claims.files])
  const dropped = claims.dropped === 0 ? [] : [{
    code: "file-claims-dropped",
    text: `${countWords(claims.dropped, "claim", "claims")} about files matched no file of the call.`
  }]
  return {
    agent: [...(call.origin === "user" ? [commandLine(commandOf(call))] : []), view.text].join("\n"),
    ...(view.images.length === 0 ? {} : { images: view.images }),
    card: makeCard({ ...card, stats: statsOf(view, call) }),
    decision: { ...view.decision, warnings: [...dropped, ...warnings] }
  }
}
