import { describe, expect, it } from "@effect/vitest"
import { DoctorDocument, GcDocument } from "@steno/contracts"
import { HeadlessOutput, runArguments } from "@steno/headless"
import { captureOutput } from "@steno/headless/testing"
import { makeTestProblem } from "@steno/projection-port/testing"
import { type GcOptions, Maintenance } from "@steno/runtime"
import { Effect, Layer, Schema } from "effect"
import { Command } from "../cli-engine.ts"
import { doctorCommand } from "./doctor.ts"
import { gcCommand } from "./gc.ts"

type Asked = Maintenance["Service"]

const healthy: DoctorDocument = {
  family: "doctor",
  ok: true,
  findings: [{ code: "home", severity: "ok", subject: "/home", explanation: "It can be read and written." }]
}
const ill: DoctorDocument = {
  family: "doctor",
  ok: false,
  findings: [
    ...healthy.findings,
    { code: "space", severity: "warning", subject: "/a\nb", explanation: "Little is free.", remediation: "Free some." },
    { code: "database", severity: "error", subject: "core.sqlite", explanation: "A page is damaged.", remediation: "Restore it." }
  ]
}
const collected: GcDocument = { family: "gc", removed: { runs: 1, bytes: 12_345 }, kept: { runs: 2, bytes: 0 }, dryRun: false }

/** Runs a command line against answers given here. */
const run = Effect.fnUntraced(function*(args: ReadonlyArray<string>, answers: Partial<Asked> = {}) {
  const output = captureOutput()
  const layer = Layer.succeed(Maintenance, { doctor: Effect.succeed(healthy), repair: Effect.succeed(ill), gc: () => Effect.succeed(collected), ...answers })
  const root = Command.make("steno").pipe(Command.withSubcommands([doctorCommand(layer), gcCommand(layer)]))
  const exitCode = yield* runArguments(root, { version: "1.2.3" })(args).pipe(Effect.provideService(HeadlessOutput, output.service))
  return { exitCode, stdout: new TextDecoder().decode(output.stdoutBytes()), stderr: output.stderr() }
})

const refused = Effect.fail(makeTestProblem("home-read-only", "The home can only be read."))

describe("steno doctor", () => {
  it.effect("exits 0 when no finding is an error", () =>
    Effect.gen(function*() {
      expect(yield* run(["doctor"])).toEqual({
        exitCode: 0,
        stdout: "ok       home  /home: It can be read and written.\nNothing is wrong.\n",
        stderr: ""
      })
    }))

  it.effect("exits 1 when one is, with a remedy under each finding, each on lines of its own", () =>
    Effect.gen(function*() {
      expect(yield* run(["doctor"], { doctor: Effect.succeed(ill) })).toEqual({
        exitCode: 1,
        stdout: [
          "ok       home  /home: It can be read and written.",
          "warning  space  /a\\x0ab: Little is free.",
          "         Free some.",
          "error    database  core.sqlite: A page is damaged.",
          "         Restore it.",
          "1 error, 1 warning.",
          ""
        ].join("\n"),
        stderr: ""
      })
    }))

  it.effect("repairs only with --repair, and answers in the same form", () =>
    Effect.gen(function*() {
      expect((yield* run(["doctor", "--repair"])).exitCode).toBe(1)
      const json = yield* run(["doctor", "--repair", "--json"])
      expect(JSON.parse(json.stdout)).toEqual(ill)
      expect((yield* run(["doctor", "--repair", "--json"], { repair: Effect.succeed(healthy) })).exitCode).toBe(0)
    }))

  it.effect("--json is one frozen document, with the same exit code", () =>
    Effect.gen(function*() {
      const { exitCode, stderr, stdout } = yield* run(["doctor", "--json"], { doctor: Effect.succeed(ill) })
      yield* Effect.promise(() => expect(stdout).toMatchFileSnapshot("goldens/doctor.json"))
      expect(yield* Schema.decodeUnknownEffect(DoctorDocument, { onExcessProperty: "error" })(JSON.parse(stdout))).toEqual(ill)
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: "" })
    }))
})

describe("steno gc", () => {
  const asked = Effect.fnUntraced(function*(args: ReadonlyArray<string>) {
    const options: Array<GcOptions> = []
    const ran = yield* run(["gc", ...args], { gc: (given) => Effect.sync(() => (options.push(given), collected)) })
    return { ...ran, options }
  })

  it.effect.each<readonly [string, number]>([["30d", 2_592_000_000], ["12h", 43_200_000], ["0d", 0], ["99999d", 8_639_913_600_000]])(
    "--older-than %s is so many milliseconds",
    ([age, olderThanMs]) =>
      Effect.gen(function*() {
        expect((yield* asked(["--older-than", age, "--dry-run"])).options).toEqual([{ olderThanMs, dryRun: true }])
      })
  )

  it.effect("without --older-than leaves the age to the home's settings", () =>
    Effect.gen(function*() {
      expect((yield* asked([])).options).toEqual([{ dryRun: false }])
    }))

  it.effect.each(["30", "d", "1.5d", "-1d", "30m", "30 d", "1d12h", "100000d", "30D", "٣d"])(
    "--older-than %j is wrong usage and collects nothing",
    (age) =>
      Effect.gen(function*() {
        const { exitCode, options, stderr, stdout } = yield* asked([`--older-than=${age}`])
        expect(stderr).toBe(
          "Error [usage-invalid]: --older-than is a whole number with d for days or h for hours, such as 30d or 12h.\nRemediation: See \"steno gc --help\".\n"
        )
        expect({ exitCode, stdout, options }).toEqual({ exitCode: 64, stdout: "", options: [] })
      })
  )

  it.effect("says what it removed and kept, or would", () =>
    Effect.gen(function*() {
      expect((yield* asked([])).stdout).toBe("Removed: 1 Run, 12,345 bytes\nKept:    2 Runs, 0 bytes\n")
      const { stdout } = yield* run(["gc", "--dry-run"], { gc: ({ dryRun }) => Effect.succeed({ ...collected, dryRun }) })
      expect(stdout).toBe("Would remove: 1 Run, 12,345 bytes\nWould keep:   2 Runs, 0 bytes\n")
    }))

  it.effect("--json is one frozen document", () =>
    Effect.gen(function*() {
      const { stdout } = yield* run(["gc", "--json"])
      yield* Effect.promise(() => expect(stdout).toMatchFileSnapshot("goldens/gc.json"))
      expect(yield* Schema.decodeUnknownEffect(GcDocument, { onExcessProperty: "error" })(JSON.parse(stdout))).toEqual(collected)
    }))
})

describe("a Problem of the home", () => {
  it.effect.each<readonly [ReadonlyArray<string>]>([[["gc"]], [["doctor"]]])("is the answer of `steno %s`, with exit code 1", ([args]) =>
    Effect.gen(function*() {
      const answers = { doctor: refused, gc: () => refused }
      expect(yield* run(args, answers)).toEqual({
        exitCode: 1,
        stdout: "",
        stderr: "Error [home-read-only]: The home can only be read.\nRemediation: Try something else.\n"
      })
      const json = yield* run([...args, "--json"], answers)
      expect(JSON.parse(json.stdout)).toMatchObject({ code: "home-read-only" })
      expect({ exitCode: json.exitCode, stderr: json.stderr }).toEqual({ exitCode: 1, stderr: "" })
    }))
})

describe("help", () => {
  it.effect.each(["doctor", "gc"])("of `steno %s` shows one example", (name) =>
    Effect.gen(function*() {
      const { exitCode, stdout } = yield* run([name, "--help"])
      expect(stdout).toMatch(new RegExp(`^Usage: steno ${name} \\[OPTIONS\\]\\n[^]*\\nExample:\\n  steno ${name}[^\\n]*\\n$`))
      expect(exitCode).toBe(0)
    }))
})
