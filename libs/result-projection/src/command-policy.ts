/**
 * The policy of `bash`: its output by process diagnostics, behind how the call ended where that is not the command's own end.
 *
 * Limits: a command's time limit and a start that failed stay with process diagnostics.
 */
import type { CardProjection } from "@steno/contracts"
import { firstOf, makeCard } from "./card-lines.ts"
import { originLine } from "./origin-line.ts"
import { processDiagnostics } from "./process-diagnostics.ts"
import { profiles } from "./profiles.ts"
import type { ProcessFacts, Projection } from "./result-policy.ts"
import { type EndFacts, endsWithoutResult, terminalOutcome } from "./strategy-terminal-outcome.ts"
import type { OutputPolicy } from "./tool-policy.ts"
import { viewOfReduced } from "./value-view.ts"

export interface CommandFacts extends ProcessFacts, Pick<EndFacts, "denial" | "interrupted" | "begun"> {}

const statsOf = ({ decision }: Projection, facts: CommandFacts): NonNullable<CardProjection["stats"]> => ({
  lines: Math.max(decision.totalLines, facts.capture.output.observedLines),
  bytes: Math.max(decision.totalBytes, facts.capture.output.observedBytes),
  ...(facts.exitCode === undefined ? {} : { exitCode: facts.exitCode }),
  ...(facts.signal === undefined ? {} : { signal: facts.signal }),
  ...(facts.durationMs === undefined ? {} : { durationMs: facts.durationMs })
})

const withTerminal = (output: Projection, facts: CommandFacts): Projection => {
  const reduced = terminalOutcome(facts)
  const hasOutput = output.decision.totalBytes > 0
  const view = viewOfReduced(profiles.terminal_outcome, reduced, reduced.total)
  const origin = facts.origin === "user" ? [originLine(facts.command)] : []
  return {
    agent: [...origin, view.text, ...(hasOutput ? [output.agent] : [])].join("\n"),
    card: hasOutput
      ? output.card
      : makeCard({ arguments: output.card.arguments, result: firstOf(reduced.lines, "lines"), first: "arguments" }),
    decision: hasOutput ? output.decision : view.decision
  }
}

export const commandPolicy: OutputPolicy = {
  kind: "output",
  profile: processDiagnostics.profile,
  begin: () => {
    const projector = processDiagnostics.begin()
    return {
      push: projector.push,
      finish: (facts) => {
        const isTerminal = endsWithoutResult(facts.outcome)
        const output = projector.finish(isTerminal ? { ...facts, frame: { room: { lines: 0, bytes: 0 } } } : facts)
        const projection = isTerminal ? withTerminal(output, facts) : output
        return {
          ...projection,
          card: { ...projection.card, stats: statsOf(output, facts) },
          decision: { ...projection.decision, warnings: [] }
        }
      }
    }
  }
}
