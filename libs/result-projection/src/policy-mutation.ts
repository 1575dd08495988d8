/**
 * The policies of `write`, `edit` and the Agent calls: what was done, never what was submitted.
 *
 * Limits: the diff of an edit goes to cards alone.
 */
import { argumentLines } from "./argument-lines.ts"
import { type Candidate, makeCandidate, textBlock } from "./candidate.ts"
import { firstOf, lastLinesOf, lastOf } from "./card-lines.ts"
import { countWords } from "./process-status.ts"
import { pathText } from "./path-text.ts"
import type {
  AgentControlArguments,
  AgentControlResult,
  EditArguments,
  MutationResult,
  WriteArguments
} from "./tool-results.ts"
import { byStrategy, type ValuePolicy } from "./tool-policy.ts"
import { visibleLines } from "./visible-lines.ts"
import { sentence, warningLines } from "./warning-lines.ts"

const outcomeWords: { readonly [Outcome in MutationResult["outcome"]]: string } = {
  done: "done",
  partial: "done in part",
  "dry-run": "dry run, nothing was written"
}


const acknowledgement = (operation: "write" | "edit") => (result: MutationResult): Candidate =>
  makeCandidate({
    blocks: [textBlock([
      `${operation}: ${outcomeWords[result.outcome]}`,
      `path: ${pathText(result.path)}`,
      ...(result.file === undefined ? [] : [`file: ${result.file}`]),
      `bytes written: ${result.bytesWritten}`,
      ...(result.operations === undefined ? [] : [`operations: ${result.operations}`]),
      ...(result.firstChangedLine === undefined ? [] : [`first changed line: ${result.firstChangedLine}`]),
      ...warningLines(result.warnings),
      ...(result.nextAction === undefined ? [] : [sentence("next", result.nextAction)])
    ].join("\n"))]
  })

const view = (operation: "write" | "edit") => byStrategy("mutation_acknowledgement", "head", acknowledgement(operation))

export const writePolicy: ValuePolicy<WriteArguments, MutationResult> = {
  kind: "value",
  profiles: ["mutation_acknowledgement"],
  view: view("write"),
  card: ({ content }, result) => ({
    arguments: lastOf(visibleLines(content), "lines"),
    result: firstOf(
      result === undefined ? [] : [`${pathText(result.path)}: ${countWords(result.bytesWritten, "byte", "bytes")} written`],
      "lines"
    ),
    first: "arguments"
  })
}

export const editPolicy: ValuePolicy<EditArguments, MutationResult> = {
  kind: "value",
  profiles: ["mutation_acknowledgement"],
  view: view("edit"),
  card: ({ dryRun, edits, path }, result) => ({
    arguments: firstOf(
      [
        ...argumentLines({ path }),
        countWords(result?.operations ?? edits.length, "operation", "operations"),
        ...(dryRun === true ? ["dry run"] : [])
      ],
      "lines"
    ),
    result: lastLinesOf(result?.diff ?? ""),
    first: "arguments"
  })
}

const replyWords: { readonly [Reply in AgentControlResult["reply"]]: string } = {
  accepted: "Accepted.",
  held: "Held for review by a person.",
  refused: "Refused."
}

const replyLines = ({ reason, reply }: AgentControlResult): ReadonlyArray<string> => [
  replyWords[reply],
  ...(reason === undefined ? [] : [sentence("reason", reason)])
]

export const agentControlPolicy: ValuePolicy<AgentControlArguments, AgentControlResult> = {
  kind: "value",
  profiles: ["mutation_acknowledgement"],
  view: byStrategy("mutation_acknowledgement", "head", (result: AgentControlResult) =>
    makeCandidate({ blocks: [textBlock(replyLines(result).join("\n"))] })),
  card: ({ reason }, result) => ({
    arguments: firstOf(visibleLines(reason), "lines"),
    result: firstOf(result === undefined ? [] : replyLines(result), "lines"),
    first: "arguments"
  })
}
