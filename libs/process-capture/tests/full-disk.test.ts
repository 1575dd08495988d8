import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import type { CommandEnd } from "../src/captured-commands.ts"
import { answerOf, spawnOwner } from "./owner-process.ts"

const mount = mkdtempSync(join(tmpdir(), "full-disk-"))
afterAll(() => rmSync(mount, { recursive: true, force: true }))

/** Captures on a file system of its own with `size` bytes, of which `filled` are taken; `after` is printed at the end. */
const capture = async (size: string, filled: string, command: string): Promise<{ end: CommandEnd; listing: string }> => {
  const setUp = `mount -t tmpfs -o size=${size} tmpfs '${mount}' && head -c ${filled} /dev/zero >'${mount}/filler' 2>/dev/null; mkdir '${mount}/call'; "$@"; cat '${mount}'/call/stdout.txt 2>/dev/null | wc -c`
  const owner = spawnOwner({
    command,
    directory: join(mount, "call"),
    marker: `call_full_${process.pid}`,
    under: ["unshare", "-rm", "sh", "-c", setUp, "sh"]
  })
  const [, end = "{}", listing = ""] = await answerOf(owner)
  return { end: JSON.parse(end) as CommandEnd, listing }
}

describe("a full disk", () => {
  it("from the start: the command runs, its output comes from memory, the warning names mount and free bytes", async () => {
    const { end, listing } = await capture("64k", "1m", "echo small; echo problem >&2; exit 3")
    expect(end.exit).toEqual({ kind: "exited", code: 3 })
    expect(end.captured.retained.text).toBe("small\nproblem\n")
    expect(end.captured.facts.stdout).toMatchObject({ observedBytes: 6, storedBytes: 0, droppedBytes: 6, observedLines: 1 })
    expect(end.captured.facts.output).toMatchObject({ observedBytes: 14, storedBytes: 0, droppedBytes: 14 })
    expect(end.captured.files).toEqual([])
    expect(end.captured.warnings.map((warning) => warning.code)).toEqual(["capture-storage-full"])
    expect(end.captured.warnings[0]?.text).toContain(`No space left on ${mount} (0 bytes free)`)
    expect(listing.trim()).toBe("0")
  })

  it("in the middle: what came before is kept, what came after is counted, the last lines are in the result", async () => {
    const { end, listing } = await capture("2m", "100k", "seq 1 600000; echo the end; exit 4")
    const { stdout } = end.captured.facts
    expect(end.exit).toEqual({ kind: "exited", code: 4 })
    expect(stdout.observedBytes).toBe(4_088_895 + 8)
    expect(stdout.observedLines).toBe(600_001)
    expect(stdout.storedBytes).toBeGreaterThan(1_000_000)
    expect(stdout.storedBytes + stdout.droppedBytes).toBe(stdout.observedBytes)
    expect(stdout.gapOffset).toBe(stdout.storedBytes)
    expect(listing.trim()).toBe(String(stdout.storedBytes))
    expect(end.captured.retained.text.endsWith("599999\n600000\nthe end\n")).toBe(true)
    expect(end.captured.retained).toMatchObject({ dropped: true })
    expect(end.captured.warnings.map((warning) => warning.code)).toEqual(["capture-storage-full"])
  })

  it("at the join: the segments make room for the joined file, nothing is lost", async () => {
    const { end, listing } = await capture("17m", "4k", "seq 1 3000000 | head -c 16777216")
    expect(end.captured.facts.stdout).toMatchObject({ observedBytes: 16_777_216, storedBytes: 16_777_216, droppedBytes: 0 })
    expect(end.captured.warnings).toEqual([])
    expect(listing.trim()).toBe("16777216")
  })
})
