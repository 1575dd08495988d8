import { describe, expect, it } from "@effect/vitest"
import type { TranscriptEntry } from "@steno/contracts"
import { makeRunSnapshot, memoryPort } from "@steno/projection-port/testing"
import { Effect } from "effect"
import { runSteno } from "./testing.ts"

const run = makeRunSnapshot()
const [main] = run.sessions
const second = { ...main!, session: "review", transcriptPage: "page-review" }

const withEntries = (entries: ReadonlyArray<TranscriptEntry>) => memoryPort({ runs: [run], transcript: () => entries })
const entry = (changes: Partial<TranscriptEntry>): TranscriptEntry => ({ session: "main", role: "user", content: "text", ...changes })
const read = (entries: ReadonlyArray<TranscriptEntry>, ...more: ReadonlyArray<string>) =>
  runSteno(["run", "read", run.runId, "--transcript", ...more], { port: withEntries(entries) })

describe("run read --transcript", () => {
  it.effect("prints each entry under its role label", () =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* read([
        entry({ content: "first\n\nthird\n", kind: "message" }),
        entry({ role: "assistant", content: "answer" }),
        entry({ content: "by a program", kind: "entry-prompt" }),
        entry({ content: "turn left", kind: "steer", steer: { id: "steer_1", delivery: "within-turn" } }),
        entry({ role: "assistant", content: "half", incomplete: true }),
        entry({ role: "assistant", content: "" })
      ])
      expect(stdout).toBe(
        [
          "user:",
          "  first",
          "",
          "  third",
          "",
          "assistant:",
          "  answer",
          "",
          "user · Entry prompt:",
          "  by a program",
          "",
          "user · Steer:",
          "  turn left",
          "",
          "assistant · incomplete:",
          "  half",
          "",
          "assistant:",
          ""
        ].join("\n")
      )
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" })
    }))

  it.effect("shows control sequences, and no content can pass for another entry", () =>
    Effect.gen(function*() {
      const { stdout } = yield* read([entry({ content: "\u001b[2Jred\u0007\n\nassistant:\n  forged" })])
      expect(stdout).toBe("user:\n  \\x1b[2Jred\\x07\n\n  assistant:\n    forged\n")
    }))

  it.effect("says so when there is nothing", () =>
    Effect.gen(function*() {
      expect(yield* read([])).toMatchObject({ exitCode: 0, stdout: "(no entries)\n", stderr: "" })
    }))

  it.effect("shows the newest twenty and goes back page by page until the oldest", () =>
    Effect.gen(function*() {
      const entries = Array.from({ length: 43 }, (_, index) => entry({ content: `entry ${index}.` }))
      const shown: Array<string> = []
      let cursor: ReadonlyArray<string> = []
      for (const left of [true, true, false]) {
        const { stderr, stdout } = yield* read(entries, ...cursor)
        shown.unshift(...(stdout.match(/entry \d+\./g) ?? []))
        const older = /^Older entries: add (--cursor) (\S+)\n$/.exec(stderr)
        expect(older !== null).toBe(left)
        cursor = older?.slice(1) ?? []
      }
      expect(shown).toEqual(entries.map(({ content }) => content))
    }))

  it.effect("with --json gives the page beside the whole transcript", () =>
    Effect.gen(function*() {
      const entries = Array.from({ length: 21 }, (_, index) => entry({ content: `entry ${index}.` }))
      const newest = JSON.parse((yield* read(entries, "--json")).stdout)
      expect(newest.page.entries).toHaveLength(20)
      expect(newest.export.entries).toEqual(entries)
      const older = JSON.parse((yield* read(entries, "--json", "--cursor", newest.page.older)).stdout)
      expect(older.page).toEqual({ found: true, type: "transcript-page", entries: [entries[0]] })
      expect(older.export.entries).toEqual(entries)
    }))

  it.effect("reads the named Session, else the Run's first", () =>
    Effect.gen(function*() {
      const port = memoryPort({
        runs: [{ ...run, sessions: [main!, second] }],
        transcript: (_, session) => [entry({ session, content: `in ${session}` })]
      })
      const of = (reference: string) => runSteno(["run", "read", reference, "--transcript"], { port })
      expect((yield* of("@last")).stdout).toContain("in main")
      expect((yield* of("@last/review")).stdout).toContain("in review")
      expect(yield* of("@last/none")).toMatchObject({
        exitCode: 1,
        stdout: "",
        stderr: expect.stringMatching(/^Error \[run-session-not-found\]/)
      })
    }))

  it.effect("answers a cursor that no transcript gave with its Problem inside the document", () =>
    Effect.gen(function*() {
      const { exitCode, stdout } = yield* read([entry({})], "--json", "--cursor", "made-up")
      expect(JSON.parse(stdout)).toMatchObject({ found: false, problem: { code: "run-transcript-cursor-invalid" } })
      expect(exitCode).toBe(1)
    }))
})
