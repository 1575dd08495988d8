import { expect, it } from "@effect/vitest"
import { ProcessHost } from "@steno/process-host"
import { Effect } from "effect"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import type { CommandEnd } from "../src/captured-commands.ts"
import { answerOf, spawnOwner } from "./owner-process.ts"

const root = mkdtempSync(join(tmpdir(), "owner-exit-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

it.live("once a command has ended nothing of it keeps the owner's event loop alive, also not a survivor with its pipes", () =>
  Effect.gen(function*() {
    const host = yield* ProcessHost
    const marker = `call_exit_${process.pid}`
    const [, answer = "{}"] = yield* Effect.promise(() =>
      answerOf(spawnOwner({ command: "sleep 300 & echo hi; echo there >&2", directory: root, marker }))
    )
    const end = JSON.parse(answer) as CommandEnd
    expect(end.survivors.map((survivor) => survivor.command)).toEqual(["sleep 300"])
    expect(readFileSync(join(root, "stdout.txt"), "utf8")).toBe("hi\n")
    const swept = yield* host.sweep({ marker: { name: "STENO_CALL_ID", value: marker }, root: undefined })
    expect(swept.ended).toEqual(end.survivors)
  }).pipe(Effect.provide(ProcessHost.layer)))
