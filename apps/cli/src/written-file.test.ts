import { HeadlessFiles } from "@steno/headless"
import { Effect, Result } from "effect"
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makePlace, temporaryFolder, withMounts } from "./testing.ts"
import { writtenFilesLayer } from "./written-file.ts"

const write = (path: string, text: string) =>
  HeadlessFiles.pipe(
    Effect.flatMap((files) => files.write(path, text)),
    Effect.provide(writtenFilesLayer),
    Effect.result,
    Effect.runSync
  )
const refusal = (path: string) => {
  const written = write(path, "new")
  return Result.isFailure(written) ? written.failure.problem : undefined
}

describe("a file that a person named", () => {
  it("is made with exactly the text, and nothing is left beside it", () => {
    const folder = temporaryFolder()
    write(join(folder, "new.md"), "日本\n")
    expect(readFileSync(join(folder, "new.md"), "utf8")).toBe("日本\n")
    expect(readdirSync(folder)).toEqual(["new.md"])
  })

  it("is replaced when it is a regular file, and keeps its permissions", () => {
    const path = join(temporaryFolder(), "old.md")
    writeFileSync(path, "a longer text than the new one")
    chmodSync(path, 0o640)
    const before = statSync(path).ino
    write(path, "new")
    expect(readFileSync(path, "utf8")).toBe("new")
    expect(statSync(path).mode & 0o777).toBe(0o640)
    expect(statSync(path).ino).not.toBe(before)
  })

  it("is refused and left alone when it is a folder, a link or a device", () => {
    const folder = temporaryFolder()
    const [target, link] = [join(folder, "target"), join(folder, "link")]
    writeFileSync(target, "kept")
    symlinkSync(target, link)
    mkdirSync(join(folder, "sub"))
    expect(refusal(join(folder, "sub"))?.explanation).toMatch(/ is a folder, /)
    expect(refusal(link)?.explanation).toMatch(/ is a symbolic link, /)
    expect(refusal("/dev/null")?.explanation).toMatch(/ is no regular file, /)
    expect(readFileSync(target, "utf8")).toBe("kept")
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(lstatSync("/dev/null").isCharacterDevice()).toBe(true)
    expect(readdirSync(folder).sort()).toEqual(["link", "sub", "target"])
  })

  it("is a Problem that names the folder when that is missing or is none", () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, "file"), "")
    for (const parent of ["none", "file"]) {
      const problem = refusal(join(folder, parent, "run.md"))
      expect(problem).toMatchObject({ code: "storage-failed", explanation: `There is no folder ${join(folder, parent)}.` })
    }
    expect(existsSync(join(folder, "none"))).toBe(false)
  })

  it("stays as it was on a full and on a read-only file system, and the Problem says which it is", () => {
    const writer = `
      import { HeadlessFiles } from "@steno/headless"
      import { Effect } from "effect"
      import { writtenFilesLayer } from "${new URL("./written-file.ts", import.meta.url).href}"
      const writing = HeadlessFiles.pipe(Effect.flatMap((files) => files.write(process.argv[1], "x".repeat(1_000_000))), Effect.provide(writtenFilesLayer))
      console.log(Effect.runSync(Effect.flip(writing)).problem.code)`
    const tried = withMounts(makePlace(), `
      mkdir disk && mount -t tmpfs -o size=100k tmpfs disk && echo kept > disk/run.md
      write() { (cd ${import.meta.dirname} && "${process.execPath}" --input-type=module -e '${writer}' "$1"); }
      write "$PWD/disk/run.md"
      ls -A disk; cat disk/run.md
      mount -o remount,ro disk
      write "$PWD/disk/run.md"
      cat disk/run.md`)
    expect(tried.stderr).toBe("")
    expect(tried.stdout).toBe("storage-full\nrun.md\nkept\nstorage-failed\nkept\n")
  })
})
