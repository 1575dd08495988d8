import { expect, it } from "@effect/vitest"
import { CallId } from "@steno/contracts"
import { Deferred, Effect, Fiber } from "effect"
import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { writeAtomically } from "../src/atomic-write.ts"
import { temporaryWorkspace } from "../src/testing.ts"

const tagOf = <A>(written: Effect.Effect<A, { readonly code: string; readonly message: string }>) =>
  written.pipe(Effect.as("written"), Effect.catch(({ code, message }) => Effect.succeed(`${code}: ${message}`)))

const present = (path: string) => statSync(path, { bigint: true })

const callId = (at: number) => CallId.make(`call_01JAVW4QKD7QZB2N5T8M3X9C${String(at).padStart(2, "0")}`)

const write = (path: string, content: string, before?: ReturnType<typeof present>, at = 0) =>
  tagOf(writeAtomically(path, Buffer.from(content), before, Effect.void, callId(at)))

it.effect("a file that changed, went or was replaced after it was judged is left as it is, and nothing lies beside it", () =>
  Effect.gen(function*() {
    const folder = yield* temporaryWorkspace
    const path = join(folder, "f")
    for (const change of [
      () => writeFileSync(path, "longer than before"),
      () => renameSync(path, join(folder, "gone")),
      () => {
        writeFileSync(join(folder, "new"), "one")
        renameSync(join(folder, "new"), path)
      },
      () => {
        renameSync(path, join(folder, "gone"))
        symlinkSync("gone", path)
      }
    ]) {
      writeFileSync(path, "one")
      const before = present(path)
      change()
      const names = readdirSync(folder)
      expect(yield* write(path, "mine", before)).toContain("changed while this call worked on it; nothing was written")
      expect(readdirSync(folder)).toEqual(names)
    }
  }))

it.effect("a folder on the way that became a link is not written into", () =>
  Effect.gen(function*() {
    const folder = yield* temporaryWorkspace
    mkdirSync(join(folder, "outside"))
    symlinkSync("outside", join(folder, "d"))
    expect(yield* write(join(folder, "d", "f"), "x")).toContain("changed while this call worked on it")
    expect(readdirSync(join(folder, "outside"))).toEqual([])
  }))

it.effect("of many that create one file, one does; its content is whole and the others say so", () =>
  Effect.gen(function*() {
    const folder = yield* temporaryWorkspace
    const contents = Array.from({ length: 12 }, (_, at) => `${at} `.repeat(100_000))
    const answers = yield* Effect.forEach(contents, (content, at) => write(join(folder, "f"), content, undefined, at), { concurrency: "unbounded" })
    const winners = answers.flatMap((answer, at) => answer === "written" ? [at] : [])
    expect(winners).toHaveLength(1)
    expect(readFileSync(join(folder, "f"), "utf8")).toBe(contents[winners[0] ?? 0])
    expect(answers.filter((answer) => answer.startsWith("changed-meanwhile: "))).toHaveLength(11)
    expect(readdirSync(folder)).toEqual(["f"])
  }))

it.live.each([
  ["can be interrupted", <A, E>(writing: Effect.Effect<A, E>) => writing],
  ["cannot be interrupted", <A, E>(writing: Effect.Effect<A, E>) => Effect.uninterruptible(writing)]
] as const)("an interruption while the content is written leaves the target as it was and nothing beside it, where the caller %s", ([, hears]) =>
  Effect.gen(function*() {
    const folder = yield* temporaryWorkspace
    const path = join(folder, "f")
    writeFileSync(path, "one")
    const content = Buffer.alloc(256 * 1024 * 1024)
    const writing = writeAtomically(path, content, present(path), Effect.die("placed"), callId(0))
    const fiber = yield* Effect.forkChild(hears(writing), { startImmediately: true })
    while (readdirSync(folder).length === 1) yield* Effect.promise(() => new Promise((resume) => setImmediate(resume)))
    yield* Fiber.interrupt(fiber)
    expect(readdirSync(folder)).toEqual(["f"])
    expect(readFileSync(path, "utf8")).toBe("one")
  }))

it.effect("an interruption once the new content stands is too late: a caller that cannot be interrupted learns that it was written", () =>
  Effect.gen(function*() {
    const path = join(yield* temporaryWorkspace, "f")
    const placed = yield* Deferred.make<void>()
    const isTold = yield* Deferred.make<void>()
    const told = Effect.andThen(Deferred.succeed(placed, undefined), Deferred.await(isTold))
    const written = yield* Deferred.make<unknown, unknown>()
    const fiber = yield* Effect.forkChild(Effect.uninterruptible(
      Deferred.into(writeAtomically(path, Buffer.from("new"), undefined, told, callId(0)), written)
    ))
    yield* Deferred.await(placed)
    const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
    yield* Deferred.succeed(isTold, undefined)
    expect(yield* Deferred.await(written)).toEqual({ warnings: [] })
    yield* Fiber.join(interrupting)
    expect(readFileSync(path, "utf8")).toBe("new")
  }))
