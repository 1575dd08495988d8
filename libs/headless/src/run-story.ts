/**
 * What happened in the Turns of a Run, in order: what was said, and the calls between.
 *
 * Owns: joining the entries of a transcript with the calls of a snapshot. Pure.
 * Limits: neither holds the other's places, so both are matched with the timeline; where they do not match, what was said of
 * a Turn comes before its calls. Entries on older pages are left out.
 */
import type { RunCall, RunSnapshot, TranscriptEntry, TranscriptPage } from "@steno/contracts"

/** A direct command is its call: there is nothing else to tell. */
export const hasConversation = (run: Pick<RunSnapshot, "harness">): boolean => run.harness.id !== "command"

export type StoryPart =
  | { readonly kind: "entry"; readonly entry: TranscriptEntry }
  | { readonly kind: "call"; readonly call: RunCall }

/** What one Turn holds, each in its order. */
interface TurnParts {
  readonly entries: ReadonlyArray<TranscriptEntry>
  readonly calls: ReadonlyArray<RunCall>
  /** Of the timeline: where an answer, and where a call, appeared first. */
  readonly places: ReadonlyArray<"answer" | "call">
  /** Entries of older pages may be missing. */
  readonly begins: boolean
}

const ofEntry = (entry: TranscriptEntry): StoryPart => ({ kind: "entry", entry })
const ofCall = (call: RunCall): StoryPart => ({ kind: "call", call })

const isAnswer = ({ role }: TranscriptEntry): boolean => role === "assistant"

/** How many answers of the timeline lie on older pages; undefined where the two do not match. */
const missingAnswers = ({ begins, entries, places }: TurnParts): number | undefined => {
  const missing = places.filter((place) => place === "answer").length - entries.filter(isAnswer).length
  return missing === 0 || (missing > 0 && !begins) ? missing : undefined
}

const storyOfTurn = (parts: TurnParts): ReadonlyArray<StoryPart> => {
  const entries = [...parts.entries]
  const calls = [...parts.calls]
  let missing = missingAnswers(parts)
  if (missing === undefined) return [...entries.map(ofEntry), ...calls.map(ofCall)]
  const story: Array<StoryPart> = []
  /** An answer goes with what a person said in front of it. */
  const tellAnswer = () => {
    const end = entries.findIndex(isAnswer)
    story.push(...entries.splice(0, end + 1).map(ofEntry))
  }
  const tellInput = () => {
    const end = entries.findIndex((entry) => isAnswer(entry) || entry.kind === "steer")
    story.push(...entries.splice(0, end === -1 ? entries.length : end).map(ofEntry))
  }
  tellInput()
  for (const place of parts.places) {
    if (place === "call") story.push(...calls.splice(0, 1).map(ofCall))
    else if (missing > 0) missing--
    else tellAnswer()
  }
  return [...story, ...entries.map(ofEntry), ...calls.map(ofCall)]
}

/** By Turn, in the order of their admission; what belongs to no known Turn comes first. */
export const storyOf = (run: RunSnapshot, pages: ReadonlyArray<TranscriptPage>): ReadonlyArray<StoryPart> => {
  const entries = pages.flatMap((page) => page.entries)
  const cutSessions = new Set(pages.flatMap((page) => page.older === undefined ? [] : page.entries.slice(0, 1).map(({ session }) => session)))
  const known = new Set<string | undefined>(run.turns.map(({ turnId }) => turnId))
  return [
    ...entries.filter(({ turn }) => !known.has(turn)).map(ofEntry),
    ...run.turns.flatMap(({ session, turnId }) => {
      const own = entries.filter(({ turn }) => turn === turnId)
      return storyOfTurn({
        entries: own,
        calls: run.calls.filter((call) => call.turnId === turnId),
        places: run.timeline.flatMap((row): TurnParts["places"] => {
          if (row.turnId !== turnId) return []
          return row.event === "assistant-content" ? ["answer"] : row.event === "tool-call-started" ? ["call"] : []
        }),
        begins: !cutSessions.has(session) || own.some(({ kind, role }) => role === "user" && kind !== "steer")
      })
    }),
    ...run.calls.filter(({ turnId }) => !known.has(turnId)).map(ofCall)
  ]
}
