import { describe, expect, it } from "@effect/vitest"
import type { QuietCall, RunId } from "@steno/contracts"
import { makeAgentRunSnapshot, makeRunSnapshot, memoryPort, pendingApproval, pendingQuestion, testIds } from "@steno/projection-port/testing"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import { displayWidth } from "./cli-engine.ts"
import { lastRowText, progressLine, quietText } from "./progress.ts"
import { runSteno } from "./testing.ts"

const { exitCode: _exitCode, outcome: _outcome, ...unfinished } = makeRunSnapshot().calls[0]!

const startFor = Effect.fnUntraced(function*(
  terminal: { readonly stderr: boolean; readonly columns?: number },
  durationMs: number,
  quietCalls?: (runId: RunId) => Stream.Stream<QuietCall>
) {
  const release = yield* Deferred.make<void>()
  const waiting = yield* Deferred.make<void>()
  const port = memoryPort({
    ...(quietCalls === undefined ? {} : { quietCalls }),
    start: (input, runId) =>
      Effect.succeed(makeRunSnapshot({ runId, calls: [{ ...unfinished, input: input.input, state: "running" }] })),
    awaitRest: (run) =>
      Deferred.succeed(waiting, undefined).pipe(Effect.andThen(Deferred.await(release)), Effect.as(run))
  })
  const fiber = yield* Effect.forkChild(runSteno(["run", "start", "--json", "sleep 9\u001b[2J"], { port, terminal }))
  yield* Deferred.await(waiting)
  yield* TestClock.adjust(durationMs)
  yield* Deferred.succeed(release, undefined)
  return yield* Fiber.join(fiber)
})

describe("progress of run start", () => {
  it.effect("is drawn on a terminal's stderr from stored rows and erased at the end", () =>
    Effect.gen(function*() {
      const { stderr, stdout } = yield* startFor({ stderr: true }, 2_050)
      const drawn = stderr.split("\r\u001b[2K")
      expect(drawn).toContain("⠋ 0 s · $ sleep 9\\x1b[2J")
      expect(drawn.some((line) => line.endsWith(" 2 s · $ sleep 9\\x1b[2J"))).toBe(true)
      expect(drawn.at(-1)).toBe("")
      expect(JSON.parse(stdout)).toMatchObject({ result: { found: true } })
    }))

  it.effect("follows the width of the terminal from frame to frame", () =>
    Effect.gen(function*() {
      let asked = 0
      const terminal = {
        stderr: true,
        get columns() {
          return asked++ < 3 ? 80 : 16
        }
      }
      const { stderr } = yield* startFor(terminal, 1_000)
      const widths = stderr.split("\r\u001b[2K").map(displayWidth)
      expect(Math.max(...widths)).toBeGreaterThan(16)
      expect(Math.max(...widths.slice(-5))).toBeLessThan(16)
    }))

  it.effect("is absent without a terminal", () =>
    Effect.gen(function*() {
      expect((yield* startFor({ stderr: false }, 2_050)).stderr).toBe("")
    }))

  const silence = (runId: RunId) =>
    Stream.fromEffect(Effect.as(Effect.sleep(31_000), {
      runId,
      callId: testIds.call(1),
      since: "1970-01-01T00:00:01.000Z",
      line: "Pass\u001b[1mword: "
    }))

  it.effect("says a silence once, on a line of its own, with what the command stands on", () =>
    Effect.gen(function*() {
      const { stderr, stdout } = yield* startFor({ stderr: true }, 95_000, silence)
      const said = "No output for 30 s; the last line is not finished: Pass\\x1b[1mword: "
      expect(stderr.split("\r\u001b[2K").filter((line) => !/^. \d+ s · |^$/.test(line))).toEqual([`${said}\n`])
      expect(JSON.stringify(JSON.parse(stdout))).not.toContain("word:")
    }))

  it.effect("says no silence without a terminal", () =>
    Effect.gen(function*() {
      expect((yield* startFor({ stderr: false }, 95_000, silence)).stderr).toBe("")
    }))

  it("leaves out of a silence the line that is finished", () => {
    expect(quietText({ since: "1970-01-01T00:00:01.000Z" }, 62_400)).toBe("No output for 61 s")
  })

  it("fits the terminal, wide characters counted double", () => {
    for (const columns of [20, 40, 80]) {
      expect(displayWidth(progressLine(3, 61_000, "日本語".repeat(60), columns))).toBeLessThan(columns)
      expect(displayWidth(progressLine(3, 61_000, "x".repeat(500), columns))).toBeLessThan(columns)
    }
  })

  it("takes a terminal of unknown width for one of 80 columns", () => {
    expect(progressLine(0, 0, "x".repeat(500), 0)).toBe(progressLine(0, 0, "x".repeat(500), 80))
  })

  it("names what the Run waits for a person with, until that is answered", () => {
    const asking = makeAgentRunSnapshot({ state: "running", pending: [{ ...pendingApproval, input: "rm -r \u202ebuild\nls" }] })
    expect(lastRowText(asking)).toBe("waits for you: approve bash: rm -r \\u{202e}build")
    expect(lastRowText({ ...asking, pending: [pendingQuestion] })).toBe("waits for you: question: Which database?")
    expect(lastRowText({ ...asking, pending: [{ ...pendingQuestion, answered: true }] })).toBe("$ rm -r build")
  })

  it("names a call of another tool by that tool", () => {
    const reading = { ...unfinished, tool: "read", input: "a\u001b.ts", state: "running" as const }
    expect(lastRowText(makeRunSnapshot({ calls: [reading] }))).toBe("read a\\x1b.ts")
  })

  it("names the last row when no call is open", () => {
    expect(lastRowText(makeRunSnapshot())).toBe("turn-admitted")
    expect(lastRowText(makeRunSnapshot({ timeline: [], state: "running" }))).toBe("running")
  })
})
