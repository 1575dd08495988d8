import { RunDocument } from "@steno/contracts"
import { Schema } from "effect"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { makePlace, type Place, runOf, startUntilReady, steno } from "./testing.ts"

/** Throws unless the text is exactly one document in the form every command writes. */
const documentOf = (stdout: string): unknown => {
  const document: unknown = JSON.parse(stdout)
  expect(stdout).toBe(`${JSON.stringify(document, null, 2)}\n`)
  return document
}

const headlessGoldens = fileURLToPath(new URL("../../../libs/headless/src/goldens/", import.meta.url))
const ownGoldens = fileURLToPath(new URL("./commands/goldens/", import.meta.url))

/** The frozen document of each command that writes one. */
const goldens: Readonly<Record<string, string>> = {
  "run start": join(headlessGoldens, "run-start.json"),
  "run show": join(headlessGoldens, "run-show.json"),
  "run list": join(headlessGoldens, "run-list.json"),
  "run read": join(headlessGoldens, "run-read.json"),
  "run answer": join(headlessGoldens, "run-answer.json"),
  "run send": join(headlessGoldens, "run-send.json"),
  "run resume": join(headlessGoldens, "run-resume.json"),
  "run steer": join(headlessGoldens, "run-steer.json"),
  "run interrupt": join(headlessGoldens, "run-interrupt.json"),
  "run end": join(headlessGoldens, "run-end.json"),
  "harness list": join(headlessGoldens, "harness-list.json"),
  "harness check": join(headlessGoldens, "harness-check.json"),
  "run cancel": join(headlessGoldens, "run-cancel.json"),
  "run delete": join(headlessGoldens, "run-delete-not-applied.json"),
  "run export": join(headlessGoldens, "run-export.json"),
  doctor: join(ownGoldens, "doctor.json"),
  gc: join(ownGoldens, "gc.json"),
  project: join(ownGoldens, "projection.json"),
  "policy show": join(ownGoldens, "policy-show.json"),
  "policy confirm": join(ownGoldens, "policy-confirm.json")
}

/** Every command there is, as help names them. */
const commandsBelow = (path: ReadonlyArray<string>): ReadonlyArray<{ readonly path: string; readonly help: string }> => {
  const help = steno(makePlace(), [...path, "--help"]).stdout
  const [, names = ""] = /^Commands:\n((?: {2}.*\n)+)/m.exec(help) ?? []
  const children = Array.from(names.matchAll(/^ {2}(\S+)/gm), ([, name = ""]) => name)
  return children.length === 0
    ? [{ path: path.join(" "), help }]
    : children.flatMap((name) => commandsBelow([...path, name]))
}

const misconfigured = (): Place => {
  const place = makePlace()
  mkdirSync(join(place.home, "config"), { recursive: true, mode: 0o700 })
  writeFileSync(join(place.home, "config", "steno.json"), "{\"retention\": 3}")
  return place
}

const run = "run_01ARZ3NDEKTSV4RRFFQ69G5FAV"
const problem = expect.objectContaining({ code: "config-invalid", possibleEffects: "none" })

describe("the frozen documents", () => {
  it("are those of exactly the commands that offer JSON, each with a golden file", () => {
    const offering = commandsBelow([]).filter(({ help }) => /--json\b|choices: .*\bjson\b/.test(help))
    expect(offering.map(({ path }) => path).toSorted()).toEqual(Object.keys(goldens).toSorted())
    for (const golden of Object.values(goldens)) expect(JSON.parse(readFileSync(golden, "utf8"))).toBeTypeOf("object")
  })
})

describe("with --json, stdout is exactly one document and stderr is empty", () => {
  it.each<readonly [ReadonlyArray<string>, unknown]>([
    [["run", "start", "--json", "--", "touch made"], problem],
    [["run", "show", run, "--json"], { family: "run", runId: run, result: { found: false, problem } }],
    [["run", "list", "--json"], problem],
    [["run", "read", run, "--call", "1", "--json"], { found: false, problem }],
    [["run", "read", run, "--transcript", "--json"], { found: false, problem }],
    [["run", "cancel", run, "--json"], problem],
    [["run", "delete", run, "--json"], problem],
    [["run", "send", run, "--json", "--", "x"], { family: "run", runId: run, result: { found: false, problem } }],
    [["run", "steer", run, "--json", "--", "x"], problem],
    [["harness", "list", "--json"], problem]
  ])("of `steno %s` in a home whose configuration is not valid: exit 1", (args, document) => {
    const refused = steno(misconfigured(), args)
    expect([refused.status, refused.stderr]).toEqual([1, ""])
    expect(documentOf(refused.stdout)).toEqual(document)
  })

  it("of `steno gc` and `steno doctor` there, which names the file and the key", () => {
    const place = misconfigured()
    const examined = steno(place, ["doctor", "--json"])
    expect([examined.status, examined.stderr]).toEqual([1, ""])
    expect(documentOf(examined.stdout)).toMatchObject({
      ok: false,
      findings: expect.arrayContaining([expect.objectContaining({ code: "config", severity: "error" })])
    })
    expect(examined.stdout).toContain("retention")
    writeFileSync(join(place.home, "config", "steno.json"), "{}")
    steno(place, ["run", "start", "--", "true"])
    writeFileSync(join(place.home, "config", "steno.json"), "no JSON")
    const refused = steno(place, ["gc", "--json"])
    expect([refused.status, refused.stderr]).toEqual([1, ""])
    expect(documentOf(refused.stdout)).toEqual(problem)
  })

  it.each(["run start --json --nope -- true", "run list --json --limit abc", "doctor --json --nope", "gc --json --older-than soon", "project --json - --tool nonsense", "policy confirm --json --digest x", "nonsense --json"])(
    "of `steno %s`, which is wrong usage: exit 64",
    (line) => {
      const refused = steno(makePlace(), line.split(" "))
      expect([refused.status, refused.stderr]).toEqual([64, ""])
      expect(documentOf(refused.stdout)).toMatchObject({ code: "usage-invalid" })
    }
  )

  it.each([["SIGTERM", 143], ["SIGINT", 130]] as const)("of a Run that %s ended: exit %i, and nothing follows it", async (signal, code) => {
    const place = makePlace()
    const running = await startUntilReady(place, "echo before; touch ready; sleep 60")
    running.kill(signal)
    const ended = await running.ended
    expect(ended.code).toBe(code)
    const document = Schema.decodeUnknownSync(RunDocument)(documentOf(ended.stdout))
    expect(document.result).toMatchObject({ found: true, run: { state: "halted" } })
  })

  it("of a Run whose command left a child with its streams: exit 0, and the program is gone", () => {
    const ended = steno(makePlace(), ["run", "start", "--json", "--", "sleep 300 & echo ok"])
    expect([ended.status, ended.stderr]).toEqual([0, ""])
    documentOf(ended.stdout)
    expect(runOf(ended.stdout).calls[0]?.output).toMatchObject({ lines: 1 })
  })

  it("of a Run whose command works on after its first words: the last ones are in it, and only then is the exit code 0", () => {
    const ended = steno(makePlace(), ["run", "start", "--json", "--", "for i in 1 2 3; do (sleep 0.1; echo part $i) & done; wait; sleep 0.2; echo whole"])
    expect(ended.status).toBe(0)
    documentOf(ended.stdout)
    const { calls, state } = runOf(ended.stdout)
    expect([state, calls[0]?.exitCode]).toEqual(["succeeded", 0])
    expect(calls[0]?.output?.projection).toMatch(/\nwhole$/)
  })
})
