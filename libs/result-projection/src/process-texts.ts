/**
 * The texts around the output of a process: promotion, notice of its end, page of its logs, exit of a launch.
 *
 * Owns: the opening and closing lines of each.
 * Never owns: what is shown of the output (process-diagnostics).
 * Limits: one reading of an output serves every text; what surrounds an output is counted against the room of its whole text.
 */
import type { CaptureFileFacts } from "@steno/contracts"
import { outputStats } from "./card-stats.ts"
import { commandLine, countWords, durationWords } from "./process-status.ts"
import type { OutputReading } from "./output-reading.ts"
import { pathText } from "./path-text.ts"
import { processOutputReader, projectReading } from "./process-diagnostics.ts"
import { type Budget, processDiagnosticsProfile } from "./profiles.ts"
import type { DecisionRecord, ProcessFacts, Projection } from "./result-policy.ts"
import { sizeOf } from "./text-lines.ts"
import type { LogPage } from "./tool-results.ts"
import type { AgentView } from "./value-view.ts"
import { visibleLines } from "./visible-lines.ts"

interface TextAround {
  readonly opening: ReadonlyArray<string>
  readonly closing: (decision: DecisionRecord) => ReadonlyArray<string>
  /** The most that `closing` takes. */
  readonly closingRoom: Budget
  readonly firstLine?: number
}

const projectAround = (reading: OutputReading, facts: ProcessFacts, around: TextAround): Projection => {
  const opening = sizeOf(around.opening)
  const projection = projectReading(reading, {
    ...facts,
    frame: {
      ...(around.firstLine === undefined ? {} : { firstLine: around.firstLine }),
      room: { lines: opening.lines + around.closingRoom.lines, bytes: opening.bytes + around.closingRoom.bytes + 2 }
    }
  })
  return {
    agent: [...around.opening, projection.agent, ...around.closing(projection.decision)].join("\n"),
    card: { ...projection.card, stats: outputStats(projection.decision, facts) },
    decision: { ...projection.decision, warnings: [] }
  }
}

const none = (): ReadonlyArray<string> => []
const noRoom: Budget = { lines: 0, bytes: 0 }

export const endWords = ({ exitCode, signal }: Pick<ProcessFacts, "exitCode" | "signal">): string =>
  exitCode !== undefined
    ? `exit code ${exitCode}`
    : signal !== undefined
    ? `ended by signal ${signal}, so there is no exit code`
    : "no exit status was collected"

export const tookWords = ({ durationMs }: ProcessFacts): string => durationMs === undefined ? "" : ` (${durationWords(durationMs)})`

export interface PromotionFacts extends ProcessFacts {
  readonly bashId: string
  readonly elapsedMs: number
}

/** A foreground command that goes on in the background. */
export const promotionText = (reading: OutputReading, facts: PromotionFacts): Projection => {
  const { bashId, elapsedMs } = facts
  const closing = [`Read on with async_bash logs, id ${bashId}. A notice comes when it ends.`]
  return projectAround(reading, facts, {
    opening: [`Still running after ${durationWords(elapsedMs)}; it goes on in the background as ${bashId}. Its output so far:`],
    closing: () => closing,
    closingRoom: sizeOf(closing)
  })
}

export interface AsyncNoticeFacts extends ProcessFacts {
  readonly bashId: string
  /** As in `completed`, `timed_out`, `lost`. */
  readonly status: string
}

/** The end of a background command. */
export const asyncNoticeText = (reading: OutputReading, facts: AsyncNoticeFacts): Projection =>
  projectAround(reading, facts, {
    opening: [
      `Background command ${facts.bashId} has ended, ${facts.status}: ${endWords(facts)}${tookWords(facts)}.`,
      commandLine(facts.command)
    ],
    closing: none,
    closingRoom: noRoom
  })

export interface LaunchExitFacts extends ProcessFacts {
  readonly name: string
  readonly status: string
  /** Absolute path of its logs. */
  readonly logPath: string
}

/** The exit of a launch; it names its logs in every case, once. */
export const launchExitText = (reading: OutputReading, facts: LaunchExitFacts): Projection => {
  const logs = [`Logs: ${pathText(facts.logPath)}`]
  return projectAround(reading, { ...facts, files: { output: facts.logPath } }, {
    opening: [`Launch ${visibleLines(facts.name).join(" ")} has ended, ${facts.status}: ${endWords(facts)}${tookWords(facts)}.`],
    closing: ({ fits }) => fits ? logs : [],
    closingRoom: noRoom
  })
}

const pageLines = processDiagnosticsProfile.inline.lines
/** At most 17 gaps of a page of 500 lines, cut into pages of 84: 22 pairs. */
const restRoom: Budget = { lines: 1, bytes: 500 }

/** What of a page is not shown, as pages that are shown whole: `106/84, 190/10`. */
export const restOfPage = (offset: number, omitted: DecisionRecord["omitted"]): ReadonlyArray<string> =>
  omitted.flatMap(({ from, to }) => {
    const pages = Math.ceil((to - from + 1) / pageLines)
    return Array.from({ length: pages }, (_, page) => {
      const first = from + page * pageLines
      return `${offset + first - 1}/${Math.min(pageLines, to - first + 1)}`
    })
  })

const pageRange = (page: LogPage): string => {
  const total = countWords(page.totalLines, "line", "lines")
  if (page.lines.length === 0) {
    return `no lines at offset ${page.offset}, ${page.stream} has ${total}${page.complete ? "" : "; more may come"}`
  }
  const next = page.nextOffset === undefined ? "" : `; next offset ${page.nextOffset}`
  return `offsets ${page.offset} to ${page.endOffset - 1} of ${total} of ${page.stream}${next}`
}

const pageOpening = (page: LogPage): string => {
  const end = page.exitCode === undefined && page.signal === undefined ? "" : `, ${endWords(page)}`
  return `${page.id}, ${page.status}${end}: ${pageRange(page)}.`
}

const emptyFile: CaptureFileFacts = { observedBytes: 0, storedBytes: 0, droppedBytes: 0, observedLines: 0, storedLines: 0 }

const pageFacts = (page: LogPage, bytes: number): ProcessFacts => ({
  tool: "async_bash",
  command: "",
  origin: "model",
  outcome: "completed",
  capture: {
    stdout: emptyFile,
    stderr: emptyFile,
    output: {
      observedBytes: bytes,
      storedBytes: bytes,
      droppedBytes: page.captureTruncated?.droppedBytes ?? 0,
      observedLines: page.lines.length,
      storedLines: page.lines.length
    }
  },
  survivors: [],
  warnings: [],
  files: page.path === undefined ? {} : { output: page.path }
})

/** A page of logs as a model sees it; line numbers are offsets, 0-based. */
export const viewOfLogPage = (page: LogPage): AgentView => {
  const bytes = new TextEncoder().encode(page.lines.map((line) => `${line}\n`).join(""))
  const reader = processOutputReader()
  reader.push(bytes)
  const { agent, decision } = projectAround(reader.finish(page.exitCode), pageFacts(page, bytes.length), {
    opening: [pageOpening(page)],
    closing: ({ fits, omitted }) =>
      fits ? [] : [`[Not shown of this page, as offset/limit: ${restOfPage(page.offset, omitted).join(", ")}.]`],
    closingRoom: restRoom,
    firstLine: page.offset
  })
  return { text: page.lines.length === 0 ? pageOpening(page) : agent, images: [], decision }
}
