/**
 * The policy of `bash`: its output by process diagnostics, behind how the call ended where that is not the command's own end.
 *
 * Limits: a command's time limit and a start that failed stay with process diagnostics.
 */
import { firstOf, makeCard } from "./card-lines.ts"
import { outputStats } from "./card-stats.ts"
import { commandLine } from "./process-status.ts"
import type { OutputReading } from "./output-reading.ts"
import { processOutputReader, projectReading } from "./process-diagnostics.ts"
import { endWords, tookWords } from "./process-texts.ts"
import { processDiagnosticsProfile, profiles } from "./profiles.ts"
import type { ProcessFacts, Projection } from "./result-policy.ts"
import { type EndFacts, endsWithoutResult, terminalOutcome } from "./strategy-terminal-outcome.ts"
import type { OutputPolicy } from "./tool-policy.ts"
import { viewOfReduced } from "./value-view.ts"

export interface CommandFacts extends ProcessFacts, Pick<EndFacts, "denial" | "interrupted" | "begun"> {}

/** How the process itself ended, where somebody saw it. */
const processLine = (facts: CommandFacts): ReadonlyArray<string> =>
  facts.exitCode === undefined && facts.signal === undefined ? [] : [`Process: ${endWords(facts)}${tookWords(facts)}.`]

const withTerminal = (output: Projection, facts: CommandFacts): Projection => {
  const reduced = terminalOutcome(facts)
  const hasOutput = output.decision.totalBytes > 0
  const view = viewOfReduced(profiles.terminal_outcome, reduced, reduced.total)
  const origin = facts.origin === "user" ? [commandLine(facts.command)] : []
  return {
    agent: [...origin, view.text, ...processLine(facts), ...(hasOutput ? [output.agent] : [])].join("\n"),
    card: hasOutput
      ? output.card
      : makeCard({ arguments: output.card.arguments, result: firstOf(reduced.lines, "lines"), first: "arguments" }),
    decision: hasOutput ? output.decision : view.decision
  }
}

/** What a model and a card see of a command whose output was read before. */
export const projectCommand = (reading: OutputReading, facts: CommandFacts): Projection => {
  const isTerminal = endsWithoutResult(facts.outcome)
  const output = projectReading(reading, isTerminal ? { ...facts, origin: "model", frame: { room: { lines: 0, bytes: 0 } } } : facts)
  const projection = isTerminal ? withTerminal(output, facts) : output
  return {
    ...projection,
    card: { ...projection.card, stats: outputStats(output.decision, facts) },
    decision: { ...projection.decision, warnings: [] }
  }
}

export const commandPolicy: OutputPolicy = {
  kind: "output",
  profile: processDiagnosticsProfile.name,
  begin: () => {
    const reader = processOutputReader()
    return { push: reader.push, leaveFile: reader.leaveFile, finish: (facts) => projectCommand(reader.finish(facts.exitCode), facts) }
  }
}
