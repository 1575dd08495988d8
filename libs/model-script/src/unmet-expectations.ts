/**
 * What a request lacks of what a step expects.
 *
 * Owns: the meaning of each expectation.
 * Limits: an explanation quotes the script, never the request.
 */
import type { ScriptExpectation } from "@steno/contracts"
import { newInput, newResults, type RequestFacts } from "./request-facts.ts"

const quoted = (text: string): string => JSON.stringify(text)

const unmetResults = (expectation: ScriptExpectation, facts: RequestFacts): ReadonlyArray<string> => {
  const results = newResults(facts)
  return (expectation.results ?? []).flatMap(({ contains, tool }) => {
    const found = results.some((result) => (tool === undefined || result.tool === tool) && result.text.includes(contains ?? ""))
    const of = tool === undefined ? "" : ` of ${tool}`
    return found ? [] : [contains === undefined ? `no new tool result${of}` : `no new tool result${of} contains ${quoted(contains)}`]
  })
}

const unmetCount = (what: string, wanted: number | undefined, count: number): ReadonlyArray<string> =>
  wanted === undefined || wanted === count ? [] : [`${count} ${what} instead of ${wanted}`]

const unmetText = (what: string, wanted: string | undefined, text: string): ReadonlyArray<string> =>
  wanted === undefined || text.includes(wanted) ? [] : [`${what} does not contain ${quoted(wanted)}`]

/** One explanation for each expectation that does not hold; empty: all hold. */
export const unmetExpectations = (expectation: ScriptExpectation, facts: RequestFacts): ReadonlyArray<string> => [
  ...unmetText("the system prompt", expectation.system, facts.system),
  ...unmetText("the model's name", expectation.model, facts.model),
  ...unmetText("the new input", expectation.input, newInput(facts)),
  ...(expectation.contains === undefined || facts.messages.some(({ text }) => text.includes(expectation.contains ?? ""))
    ? []
    : [`no message contains ${quoted(expectation.contains)}`]),
  ...unmetResults(expectation, facts),
  ...unmetCount("new tool results", expectation.resultCount, newResults(facts).length),
  ...unmetCount("messages", expectation.messageCount, facts.messages.length),
  ...(expectation.tools ?? []).flatMap((tool) => (facts.tools.includes(tool) ? [] : [`no tool ${tool} is offered`]))
]
