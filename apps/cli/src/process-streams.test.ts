import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { makePlace, plainEnvironment, runOf, shell, steno, temporaryFolder, withMounts } from "./testing.ts"

const lost = /^Error \[storage-full\]: The answer could not be written to stdout: ENOSPC\.\nRemediation: .+\n$/

describe("an answer that the system does not take", () => {
  it.each([
    ["run list"],
    ["run list --json"],
    ["run show @last"],
    ["run read @last --call 1 --raw"],
    ["run start -- true"],
    ["--help"],
    ["--version"]
  ])("makes `steno %s` say so and exit 1", (args) => {
    const place = makePlace()
    steno(place, ["run", "start", "--", "echo kept"])
    const tried = shell(place, `steno ${args} >/dev/full`)
    expect(tried.status).toBe(1)
    expect(tried.stderr).toMatch(lost)
  })

  it("is not taken for written when a part of it fits", () => {
    const place = makePlace()
    steno(place, ["run", "start", "--", "seq 1 20000"])
    const tried = withMounts(place, `
      mkdir small && mount -t tmpfs -o size=16k tmpfs small
      steno run read @last --call 1 --raw >small/out || echo "exit $?"
      stat -c %s small/out`)
    expect(tried.stdout).toBe("exit 1\n16384\n")
    expect(tried.stderr).toMatch(lost)
  })

  it("leaves the Run that was started in the record", () => {
    const place = makePlace()
    shell(place, "steno run start -- true >/dev/full")
    expect(runOf(steno(place, ["run", "show", "@last", "--json"]).stdout).state).toBe("succeeded")
  })

  it("does not hide a worse exit code", () => {
    expect(shell(makePlace(), "steno run nonsense >/dev/full").status).toBe(64)
  })
})

describe("a command on stdin", () => {
  it("that is not UTF-8 is wrong usage and starts nothing", () => {
    const place = makePlace()
    const tried = shell(place, "printf 'touch made # \\xff' | steno run start -")
    expect([tried.status, tried.stdout]).toEqual([64, ""])
    expect(tried.stderr).toMatch(/^Error \[usage-invalid\]: INPUT on stdin is not valid UTF-8/)
    expect(existsSync(join(place.workspace, "made"))).toBe(false)
    expect(existsSync(place.home)).toBe(false)
  })

  it("that holds a NUL fails with its reason, as text and as JSON", () => {
    const place = makePlace()
    const plain = shell(place, "printf 'echo a\\0b' | steno run start -")
    expect(plain.status).toBe(1)
    expect(plain.stdout).toMatch(/\nfailed · did not start\n[^]*\nReason: .*NUL.*\n/)
    const run = runOf(steno(place, ["run", "show", "@last", "--json"]).stdout)
    expect(run.calls[0]?.reason?.text).toMatch(/NUL/)
  })
})

describe("a defect of Steno", () => {
  const program = fileURLToPath(new URL("./program.ts", import.meta.url))
  const dying = `
    import { stenoProgram } from ${JSON.stringify(program)}
    import { Effect } from "effect"
    const admittedRun = (runId, port) => Effect.andThen(port.awaitRest(runId), Effect.die(new Error("broken on purpose")))
    process.exit(await Effect.runPromise(stenoProgram(process.argv.slice(1), { admittedRun })))`
  const run = (args: ReadonlyArray<string>) =>
    spawnSync(process.execPath, ["--input-type=module", "-e", dying, "--", ...args], {
      cwd: fileURLToPath(new URL("..", import.meta.url)),
      env: plainEnvironment({ STENO_HOME: join(temporaryFolder(), "home") }),
      encoding: "utf8"
    })

  it("is the Problem `internal` with an incident id, exit 1; its cause is in the log on stderr", () => {
    const died = run(["run", "start", "--", "true"])
    expect([died.status, died.stdout]).toEqual([1, ""])
    const [, incident] = /^Error \[internal\]: .*\(incident (\w+)\)\.\nRemediation: /m.exec(died.stderr) ?? []
    expect(incident).toBeDefined()
    expect(died.stderr).toMatch(new RegExp(`Incident ${incident}.*broken on purpose`, "s"))
  })

  it("is one JSON document on stdout when JSON was asked for", () => {
    const died = run(["run", "start", "--json", "--", "true"])
    expect(died.status).toBe(1)
    const document = JSON.parse(died.stdout)
    expect(document).toMatchObject({ code: "internal", possibleEffects: "unknown" })
    expect(died.stderr).toContain(document.details.incident)
  })
})
