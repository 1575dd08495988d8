import { expect, it } from "@effect/vitest"
import { prepareOptions } from "@steno/harness-seam/testing"
import { ProcessHost } from "@steno/process-host"
import { Effect, Fiber, Schema, type Scope } from "effect"
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { acpAgents, agentWithCommand, customAgent } from "./acp-presets.ts"
import { AcpFinding, judgeAcpAgent, probeAcpAgent } from "./acp-qualification.ts"
import type { AgentScenario } from "./testing/agent-scenarios.ts"
import { scriptedSubject } from "./testing/scripted-subject.ts"

const probe = Effect.fnUntraced(function*(scenario: AgentScenario, more: Parameters<typeof scriptedSubject>[1] = {}) {
  const { running, agent, entries, entry } = yield* scriptedSubject(scenario, more)
  const processHost = yield* ProcessHost
  return { probing: probeAcpAgent({ agent, processHost }, agent.program, prepareOptions()), running, entries, entry }
})

const claim = (title: string, test: () => Effect.Effect<unknown, unknown, ProcessHost | Scope.Scope>) =>
  it.live(title, () => Effect.scoped(Effect.provide(test(), ProcessHost.layer)))

describe("a look at a program", () => {
  claim("tells its version and whether it loads sessions, sends nothing else, and leaves no process", () =>
    Effect.gen(function*() {
      const { entries, probing, running } = yield* probe("text")
      expect(yield* probing).toEqual({ version: "1.0.0", loads: true })
      expect(entries().map((entry) => Object.keys(entry)[0])).toEqual(["pid"])
      expect(running()).toBe(0)
    }))

  claim("asks a program for its version where the agent does not tell it, and takes none where it prints none", () =>
    Effect.gen(function*() {
      const versions = yield* Effect.forEach([["--version"], ["-e", "0"], undefined], (versionArguments) =>
        Effect.gen(function*() {
          const { probing } = yield* probe("nameless", versionArguments === undefined ? {} : { versionArguments })
          return (yield* probing).version
        }))
      expect(versions).toEqual([process.versions.node, undefined, undefined])
    }))

  claim("says why a program is no harness, in the last words of the program too, and leaves none", () =>
    Effect.gen(function*() {
      const old = yield* probe("old-protocol")
      expect((yield* Effect.flip(old.probing)).reason.code).toBe("version-unsupported")
      const ended = yield* probe("silent-exit")
      expect((yield* Effect.flip(ended.probing)).reason).toMatchObject({
        code: "probe-failed",
        explanation: "ACP agent ended before it answered its handshake: No model is configured"
      })
      expect([old.running(), ended.running()]).toEqual([0, 0])
    }))

  claim("that is interrupted leaves nothing", () =>
    Effect.gen(function*() {
      const { entry, probing, running } = yield* probe("text")
      const looking = yield* Effect.forkChild(probing)
      yield* entry((one) => "pid" in one)
      yield* Fiber.interrupt(looking)
      expect(running()).toBe(0)
    }))
})

it("a finding is judged again as it was, also when it was kept as JSON", () => {
  const finding = AcpFinding.make({ version: "1.18.33", loads: false })
  const kept = Schema.decodeUnknownSync(AcpFinding)(JSON.parse(JSON.stringify(Schema.encodeSync(AcpFinding)(finding))))
  const { profile, version } = judgeAcpAgent(acpAgents.opencode, kept)
  expect([version, profile.recovery.state, profile.interruption.state]).toEqual(["1.18.33", "unsupported", "supported"])
  expect(profile["model-selection"].state).toBe("limited")
  expect(judgeAcpAgent(customAgent({ program: "a", arguments: [] }), { loads: true })).not.toHaveProperty("version")
})

it("a configured command is the program, with words that go before the agent's arguments", () => {
  const { goose } = acpAgents
  expect(agentWithCommand(goose, ["/opt/goose"])).toEqual({ ...goose, program: "/opt/goose" })
  expect(agentWithCommand(goose, ["npx", "goose"])).toEqual({
    ...goose,
    program: "npx",
    arguments: ["goose", "acp"],
    versionArguments: ["goose", "--version"]
  })
})

it.live("a harness starts the file that it is told, and is named by the version that was found", () =>
  Effect.scoped(Effect.gen(function*() {
    const folder = mkdtempSync(join(tmpdir(), "found-agent-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
    const path = join(folder, "agent")
    writeFileSync(path, `#!/bin/sh\nexec "${process.execPath}" "$@"\n`)
    chmodSync(path, 0o755)
    const { harness } = yield* scriptedSubject("nameless", { program: "nowhere" }, () => Effect.succeed({ path, version: "7.0.0" }))
    const prepared = yield* Effect.acquireRelease(harness.prepare(prepareOptions()), ({ close }) => close)
    expect(prepared.harness).toEqual({ id: "acp", name: "ACP agent", version: "7.0.0" })
  })))
