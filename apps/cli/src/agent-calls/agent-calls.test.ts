import { describe, expect, it } from "@effect/vitest"
import { completed, end, type FakeStep } from "@steno/harness-seam/testing"
import { ProjectionPort } from "@steno/projection-port"
import { onOutsideAgent, type OutsideAgent } from "@steno/runtime/testing/outside-runs"
import { toolDefinitions } from "@steno/tool-catalog"
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { packedBin, sourceBin } from "../testing.ts"
import { type AgentCallServer, startAgentCallServer } from "../testing/agent-call-server.ts"

const untilGate: ReadonlyArray<FakeStep> = [{ do: "gate", name: "called" }, end(completed)]

/** The variables that the agent of the live Turn was given. */
const environmentOf = ({ prepared }: OutsideAgent) => prepared.at(-1)?.agentCallServer?.environment ?? {}

const startFor = (agent: OutsideAgent, bin = packedBin) => Effect.promise(() => startAgentCallServer(bin, environmentOf(agent)))

const call = (server: AgentCallServer, name: string, args: Record<string, unknown>) => Effect.promise(() => server.call(name, args))

const accepted = ["Accepted.", false]

describe("the server of an outside agent's calls", () => {
  it.live.each([["packed", packedBin], ["from source", sourceBin]] as const)("%s offers the two tools as the built-in loop does", ([, bin]) =>
    onOutsideAgent([{ steps: untilGate }], Effect.fnUntraced(function*(agent) {
      yield* agent.begin({ agentCalls: "accept" })
      const { client } = yield* startFor(agent, bin)
      const { tools } = yield* Effect.promise(() => client.listTools())
      expect(tools).toEqual(toolDefinitions().filter(({ name }) => name === "run_done" || name === "run_failed"))
    })))

  it.live("hands a call to its Run, and ends with the Turn", () =>
    onOutsideAgent([{ steps: untilGate }], Effect.fnUntraced(function*(agent) {
      const port = yield* ProjectionPort
      const runId = yield* agent.begin({ agentCalls: "accept" })
      const server = yield* startFor(agent)
      expect(yield* call(server, "run_failed", { reason: "No network." })).toEqual(accepted)
      expect(yield* call(server, "run_done", { reason: "It works after all." })).toEqual(accepted)
      yield* agent.fake.openGate("called")
      expect(yield* port.awaitRest(runId)).toMatchObject({ state: "succeeded" })
      yield* Effect.promise(() => server.ended)
      const calls = agent.stored().flatMap(([type, { call, reason }]) => type === "agent-call" ? [`${call}: ${reason}`] : [])
      expect([...new Set(calls)]).toEqual(["run_failed: No network.", "run_done: It works after all."])
    })))

  it.live("says that a call is held for a person", () =>
    onOutsideAgent([{ steps: untilGate }], Effect.fnUntraced(function*(agent) {
      yield* agent.begin({ agentCalls: "review" })
      const server = yield* startFor(agent)
      expect(yield* call(server, "run_done", { reason: "Done." })).toEqual(["Held for review by a person.", false])
    })))

  it.live("says why a call is refused, records nothing of it, and takes the next", () =>
    onOutsideAgent([{ steps: untilGate }], Effect.fnUntraced(function*(agent) {
      yield* agent.begin({ agentCalls: "accept" })
      const server = yield* startFor(agent)
      const tooLong = ["Refused: The reason has at most 400 characters.", true]
      expect(yield* call(server, "run_done", { reason: "é".repeat(401) })).toEqual(tooLong)
      expect(yield* call(server, "run_done", { reason: "é".repeat(100_000) })).toEqual(tooLong)
      expect(yield* call(server, "run_done", { reason: " " })).toEqual(["Refused: A reason is needed.", true])
      expect(yield* call(server, "run_done", {})).toEqual(["Refused: A reason is needed, as text.", true])
      expect(yield* call(server, "run_over", { reason: "Done." })).toEqual(["Refused: There is no such tool.", true])
      expect(agent.stored()).toEqual([])
      expect(yield* call(server, "run_done", { reason: "é\n\u0001".repeat(100) })).toEqual(accepted)
    })))

  it.live("with another token than that of the Turn is refused", () =>
    onOutsideAgent([{ steps: untilGate }], Effect.fnUntraced(function*(agent) {
      yield* agent.begin({ agentCalls: "accept" })
      const server = yield* Effect.promise(() =>
        startAgentCallServer(packedBin, { ...environmentOf(agent), STENO_AGENT_CALL_TOKEN: "of-another-turn" }))
      expect(yield* call(server, "run_done", { reason: "Done." })).toEqual(["Refused: The call is of no Turn that is live.", true])
      expect(agent.stored()).toEqual([])
    })))

  it.live("shows its token to nobody who lists processes", () =>
    onOutsideAgent([{ steps: untilGate }], Effect.fnUntraced(function*(agent) {
      yield* agent.begin({ agentCalls: "accept" })
      const { pid } = yield* startFor(agent)
      const token = agent.prepared[0]?.secrets[0] ?? "none"
      expect(readFileSync(`/proc/${pid}/environ`, "utf8")).toContain(token)
      expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).not.toContain(token)
    })))
})
