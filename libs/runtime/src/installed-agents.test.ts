import { describe, expect, it } from "@effect/vitest"
import type { HomeConfig } from "@steno/contracts"
import { ProcessHost } from "@steno/process-host"
import { Effect } from "effect"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { installedAgents } from "./installed-agents.ts"
import { temporaryFolder } from "./testing.ts"

/** The agents of a home whose PATH is one folder of programs. */
const placed = (harnesses: (programs: string) => NonNullable<HomeConfig["harnesses"]>) =>
  Effect.gen(function*() {
    const home = yield* temporaryFolder
    const programs = yield* temporaryFolder
    const agents = yield* installedAgents({
      home: { path: home, access: "write" },
      config: { harnesses: harnesses(programs) },
      environment: { PATH: `${programs}:/usr/bin:/bin` },
      processHost: yield* Effect.provide(ProcessHost, ProcessHost.layer)
    })
    const agent = (id: string) => {
      const found = agents.find((one) => one.id === id)
      if (found?.check === undefined) throw new Error(`no agent ${id}`)
      return { ...found, check: found.check }
    }
    const program = (name: string, script: string) => {
      const path = join(programs, name)
      writeFileSync(path, `#!/bin/sh\n${script}\n`)
      chmodSync(path, 0o755)
      return path
    }
    return { agent, agents, home, program, programs, workspace: yield* temporaryFolder }
  })

/** An agent of the Agent Client Protocol that answers its handshake and nothing else; notes what it was started with. */
const handshake = (programs: string) =>
  `echo "$*" >> '${programs}/arguments'; read line; ` +
  `echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1,"agentInfo":{"name":"a","version":"3.1.4"},"agentCapabilities":{"loadSession":true}}}'; cat >/dev/null`

describe("the outside agents of a home", () => {
  it.effect("are those that are known by name, then those of the configuration", () =>
    Effect.scoped(Effect.gen(function*() {
      const { agents } = yield* placed(() => ({ mine: { command: ["mine"] }, codex: { command: ["other-codex"] } }))
      expect(agents.map(({ id }) => id)).toEqual(["claude-code", "codex", "opencode", "gemini", "goose", "mine"])
      expect(agents.every(({ agent, model }) => agent === "outside" && model.kind === "own")).toBe(true)
    })))

  it.effect("that have no program say which one was looked for", () =>
    Effect.scoped(Effect.gen(function*() {
      const { agent, workspace } = yield* placed(() => ({ codex: { command: ["other-codex"] } }))
      expect(yield* agent("claude-code").look(workspace)).toMatchObject({ found: false, reason: expect.stringContaining("There is no program claude in PATH") })
      expect(yield* agent("codex").look(workspace)).toMatchObject({ found: false, reason: expect.stringContaining("There is no program other-codex in PATH") })
    })))

  it.live("are started by their command, its words before those of the agent; what is found is kept", () =>
    Effect.scoped(Effect.gen(function*() {
      const { agent, home, program, programs, workspace } = yield* placed((folder) => ({
        mine: { command: [join(folder, "mine"), "--serve"] },
        goose: { command: ["other-goose", "--quiet"] }
      }))
      const path = program("mine", handshake(programs))
      program("other-goose", handshake(programs))
      expect(yield* agent("mine").check(workspace)).toMatchObject({ found: true, path, version: "3.1.4", qualification: "limited" })
      expect(yield* agent("goose").check(workspace)).toMatchObject({ version: "3.1.4", qualification: "limited" })
      expect(readFileSync(join(programs, "arguments"), "utf8")).toBe("--serve\n--quiet acp\n")
      expect(yield* agent("mine").look(workspace)).toMatchObject({ version: "3.1.4", qualification: "limited" })
      expect(existsSync(join(home, "data", "harness-qualification.json"))).toBe(true)
    })))

  it.live.each(["claude-code", "codex", "opencode"])("that do not answer as %s should are unavailable, with a reason, and nothing of them runs on", (id) =>
    Effect.scoped(Effect.gen(function*() {
      const { agent, home, program, programs, workspace } = yield* placed((folder) => ({ [id]: { command: [join(folder, "broken")] } }))
      program("broken", `echo $$ > '${programs}/pid'; echo 'nothing of a protocol'; exit 3`)
      expect(yield* agent(id).check(workspace)).toMatchObject({ found: true, qualification: "unavailable", reason: expect.stringMatching(/./) })
      expect(existsSync(join(home, "data", "harness-qualification.json"))).toBe(false)
      expect(existsSync(`/proc/${readFileSync(join(programs, "pid"), "utf8").trim()}`)).toBe(false)
    })))
})
