/**
 * One line on a terminal's stderr while a Run works: spinner, elapsed time, last stored row; above it, once each, silences.
 *
 * Owns: drawing and erasing that line, the words of a silence. Nothing is drawn when stderr is no terminal.
 * Ordering: the line is erased before anything else is written, also on interruption.
 * Limits: rows are read at most twice a second; a silence is live news and nowhere stored.
 */
import { type QuietCall, type RunId, type RunSnapshot, visibleCommand } from "@steno/contracts"
import { ProjectionPort } from "@steno/projection-port"
import { Clock, Effect, Stream } from "effect"
import { displayWidth } from "./cli-engine.ts"
import { HeadlessOutput } from "./headless-ports.ts"
import { firstVisibleLine, visibleLine } from "./visible-text.ts"

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"]
const drawMs = 100
const readEvery = 5
/** A terminal that does not know its width says 0. */
const unknownWidth = 80
const eraseLine = "\r\x1b[2K"

const rowCharacters = 200

/** What a person could do something about comes first. */
const askedText = (run: RunSnapshot): string | undefined => {
  const pending = run.pending.find(({ answered }) => answered !== true)
  if (pending === undefined) return undefined
  const about = pending.kind === "approval" && pending.input !== undefined
    ? `approve ${pending.tool ?? "a call"}: ${pending.input}`
    : `${pending.kind}: ${pending.reason}`
  return `waits for you: ${firstVisibleLine(visibleCommand(about), rowCharacters)}`
}

/** What a Run waits for a person with, else what its newest stored row says. */
export const lastRowText = (run: RunSnapshot): string => {
  const asked = askedText(run)
  if (asked !== undefined) return asked
  const call = run.calls.findLast((candidate) => candidate.outcome === undefined)
  if (call !== undefined) return `${call.tool === "bash" ? "$" : visibleLine(call.tool)} ${firstVisibleLine(call.input, rowCharacters)}`
  const row = run.timeline.at(-1)
  return row === undefined ? run.state : visibleLine([row.event, ...(row.detail === undefined ? [] : [row.detail])].join(" "))
}

const clipToColumns = (text: string, columns: number): string => {
  if (displayWidth(text) <= columns) return text
  let clipped = ""
  let width = 0
  for (const point of text) {
    width += displayWidth(point)
    if (width > columns - 1) break
    clipped += point
  }
  return `${clipped}…`
}

/** Never as wide as the terminal, so that it stays on one line and one erase removes it. */
export const progressLine = (frame: number, elapsedMs: number, row: string, columns: number): string =>
  clipToColumns(
    `${frames[frame % frames.length]} ${Math.floor(elapsedMs / 1_000)} s · ${row}`,
    Math.max(10, (columns > 0 ? columns : unknownWidth) - 1)
  )

/** One line about a call that prints nothing: what it stands on may be a question that nobody can answer. */
export const quietText = ({ line, since }: Pick<QuietCall, "line" | "since">, nowMs: number): string => {
  const seconds = Math.round((nowMs - Date.parse(since)) / 1_000)
  return `No output for ${seconds} s${line === undefined ? "" : `; the last line is not finished: ${visibleLine(line)}`}`
}

/** Stays above the progress line. */
const tellQuiet = Effect.fnUntraced(function*(runId: RunId) {
  const port = yield* ProjectionPort
  const output = yield* HeadlessOutput
  yield* Stream.runForEach(port.quietCalls(runId), (call) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => output.stderr(`${eraseLine}${quietText(call, nowMs)}\n`)))
})

const draw = Effect.fnUntraced(function*(runId: RunId) {
  const port = yield* ProjectionPort
  const output = yield* HeadlessOutput
  const startedMs = yield* Clock.currentTimeMillis
  let row = "starting"
  for (let frame = 0;; frame++) {
    if (frame % readEvery === 0) {
      row = yield* port.showRun({ text: runId, workspacePath: "" }).pipe(
        Effect.map(lastRowText),
        Effect.orElseSucceed(() => row)
      )
    }
    const nowMs = yield* Clock.currentTimeMillis
    yield* output.stderr(eraseLine + progressLine(frame, nowMs - startedMs, row, output.terminal.columns))
    yield* Effect.sleep(drawMs)
  }
})

/** Runs `work` with the progress line of `runId` beside it. */
export const withProgress = Effect.fnUntraced(function*<A, E, R>(runId: RunId, work: Effect.Effect<A, E, R>) {
  const output = yield* HeadlessOutput
  if (!output.terminal.stderr) return yield* work
  const progress = Effect.andThen(Effect.all([draw(runId), tellQuiet(runId)], { concurrency: "unbounded" }), Effect.never)
  return yield* Effect.raceFirst(work, progress).pipe(Effect.ensuring(output.stderr(eraseLine)))
})
