import Database from "better-sqlite3"
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makePlace, runOf, steno, temporaryFolder, withMounts } from "./testing.ts"

const digest = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex")

/** A disk this small is below the default floor of free space; without one it is written until it is full. */
const withoutFloor = `mkdir "$STENO_HOME/config" && echo '{"minFreeBytes":0}' > "$STENO_HOME/config/steno.json"`

describe("a home", () => {
  it("on a full disk refuses a Run as storage-full, and takes one again when there is space", () => {
    const place = { home: join(temporaryFolder(), "home"), workspace: temporaryFolder() }
    const tried = withMounts(place, `
      mkdir -p "$STENO_HOME" && mount -t tmpfs -o size=4m,mode=700 tmpfs "$STENO_HOME"
      ${withoutFloor}
      steno run start -- 'echo one' >/dev/null
      cat /dev/zero > "$STENO_HOME/filler" 2>/dev/null || true
      steno run start --json -- 'echo two' || echo "exit $?"
      rm "$STENO_HOME/filler"
      steno run start -- 'echo three' >/dev/null
      steno run list --all | grep -c succeeded`)
    expect(tried.status, tried.stderr).toBe(0)
    expect(tried.stdout).toMatch(/"code": "storage-full"/)
    expect(tried.stdout).toMatch(/exit 1\n2\n$/)
  })

  it("whose disk fills while a command runs keeps that command's exit code and says what was not kept", () => {
    const disk = temporaryFolder()
    const place = { home: join(disk, "home"), workspace: temporaryFolder() }
    const filler = join(disk, "filler")
    const tried = withMounts(place, `
      mount -t tmpfs -o size=8m,mode=700 tmpfs "${disk}" && mkdir -m 700 "$STENO_HOME"
      ${withoutFloor}
      steno run start --json -- 'cat /dev/zero > ${filler}; yes 0123456789 | head -c 3000000; rm ${filler}; exit 3' || echo "exit $?"`)
    expect(tried.stdout).toMatch(/exit 1\n$/)
    const run = runOf(tried.stdout.replace(/exit 1\n$/, ""))
    expect(run.state).toBe("failed")
    expect(run.calls[0]?.exitCode).toBe(3)
    expect(run.calls[0]?.output?.bytes).toBeGreaterThanOrEqual(3_000_000)
    expect(run.calls[0]?.output?.droppedBytes).toBeGreaterThan(0)
    expect(run.calls[0]?.output?.projection).toMatch(/space/)
  })

  it("that can only be read shows its Runs, refuses new ones as home-read-only, and stays as it was", () => {
    const place = makePlace()
    steno(place, ["run", "start", "--", "echo kept"])
    const before = digest(join(place.home, "core.sqlite"))
    const tried = withMounts(place, `
      mount --bind "$STENO_HOME" "$STENO_HOME" && mount -o remount,bind,ro "$STENO_HOME"
      steno run read @last --call 1
      steno run list | grep -c succeeded
      steno run start -- 'echo two' || echo "exit $?"`)
    expect(tried.stdout).toBe("kept\n1\nexit 1\n")
    expect(tried.stderr).toMatch(/^Error \[home-read-only\]: /)
    expect(digest(join(place.home, "core.sqlite"))).toBe(before)
  })

  it("of a newer release is refused as home-newer and left untouched", () => {
    const place = makePlace()
    steno(place, ["run", "start", "--", "true"])
    const file = join(place.home, "core.sqlite")
    const database = new Database(file)
    database.exec("UPDATE schema_migration SET version = 999 WHERE version = (SELECT max(version) FROM schema_migration)")
    database.pragma("wal_checkpoint(TRUNCATE)")
    database.close()
    const before = digest(file)
    for (const args of [["run", "list", "--json"], ["run", "show", "@last", "--json"], ["run", "start", "--json", "--", "true"]]) {
      const refused = steno(place, args)
      expect(refused.status).toBe(1)
      const document = JSON.parse(refused.stdout)
      expect((document.result?.problem ?? document).code).toBe("home-newer")
    }
    expect(digest(file)).toBe(before)
  })
})
