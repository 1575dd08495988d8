/**
 * An ACP agent that plays one scenario per process: `node scripted-agent.ts SCENARIO LOG`.
 *
 * Owns: what each scenario says over the protocol; its log says what reached it.
 * Never owns: a model or tools: nothing is run here.
 */
import { agent, type AgentContext, ndJsonStream, RequestError, type StopReason } from "@agentclientprotocol/sdk"
import { closeSync, writeSync } from "node:fs"
import { Readable, Writable } from "node:stream"
import { type AgentEntry, writeEntry } from "./agent-log.ts"
import { type AgentScenario, scriptedSecret } from "./agent-scenarios.ts"

const [scenario = "text", logFile = ""] = process.argv.slice(2)
const log = (entry: AgentEntry) => writeEntry(logFile, entry)
log({ pid: process.pid })

/** Methods and updates as they are, well-formed or not. */
const raw: Readonly<Record<"update" | "played" | "unknown" | "elicitation", string>> = {
  update: "session/update",
  elicitation: "elicitation/create",
  played: "_steno/played",
  unknown: "_other/thing"
}

interface Play {
  readonly client: AgentContext
  readonly sessionId: string
  readonly cancelled: Promise<void>
}

const tell = ({ client, sessionId }: Play, update: object) => client.notify(raw.update, { sessionId, update })

const say = (play: Play, messageId: string, text: string) =>
  tell(play, { sessionUpdate: "agent_message_chunk", messageId, content: { type: "text", text } })

const think = (play: Play, messageId: string, text: string) =>
  tell(play, { sessionUpdate: "agent_thought_chunk", messageId, content: { type: "text", text } })

const text = (output: string) => [{ type: "content", content: { type: "text", text: output } }]

const begin = (play: Play, toolCallId: string, command: string) =>
  tell(play, {
    sessionUpdate: "tool_call",
    toolCallId,
    title: command,
    kind: "execute",
    status: "in_progress",
    rawInput: { command }
  })

const finish = (play: Play, toolCallId: string, status: "completed" | "failed" | "in_progress", output: string) =>
  tell(play, { sessionUpdate: "tool_call_update", toolCallId, status, content: text(output) })

const hello = async (play: Play) => {
  await say(play, "native-text", "Hel")
  await say(play, "native-text", "lo")
}

let approvals = 0

const ask = async ({ client, sessionId }: Play, toolCallId: string) => {
  const approval = approvals++
  const { outcome } = await client.request("session/request_permission", {
    sessionId,
    toolCall: { toolCallId, title: "touch it", kind: "execute", status: "pending", rawInput: { command: "touch it" } },
    options: [
      { optionId: "native-yes", name: "Allow", kind: "allow_once" },
      { optionId: "native-always", name: "Always", kind: "allow_always" },
      { optionId: "native-no", name: "Reject", kind: "reject_once" }
    ]
  })
  const told = outcome.outcome === "cancelled" ? "cancelled" : outcome.optionId === "native-yes" ? "allowed" : "denied"
  log({ approval, told })
}

/** Answered once everything before it was read. */
const allRead = async ({ client }: Play) => {
  await client.request(raw.played, {}).catch(() => undefined)
  log({ played: true })
}

const writeRaw = (line: string) => new Promise<void>((resolve) => process.stdout.write(line, () => resolve()))

/** Of the first prompt: behind the handshake and the new session. */
const promptId = 3

/** Lives, and says nothing any more. */
const mute = (): Promise<never> => {
  closeSync(1)
  setInterval(() => undefined, 60_000)
  return new Promise(() => undefined)
}

const turnOf: Readonly<Record<AgentScenario, (play: Play, turn: number) => Promise<StopReason>>> = {
  "text": async (play) => {
    await hello(play)
    return "end_turn"
  },
  "two-blocks": async (play) => {
    await say(play, "native-1", "one")
    await say(play, "native-2", "two")
    return "end_turn"
  },
  "calls": async (play) => {
    await begin(play, "native-a", "a")
    await begin(play, "native-b", "b")
    await finish(play, "native-b", "completed", "out-b\n")
    await finish(play, "native-a", "failed", "out-a\n")
    return "end_turn"
  },
  "long-output": async (play) => {
    await begin(play, "native-a", "a")
    await finish(play, "native-a", "completed", "x".repeat(30_001))
    return "end_turn"
  },
  "running-call": async (play) => {
    await begin(play, "native-a", "a")
    return "end_turn"
  },
  "pending-text": async (play) => {
    await say(play, "native-text", "half")
    throw new RequestError(-32603, "overloaded")
  },
  "thoughts": async (play) => {
    await think(play, "native-1", " \n")
    await think(play, "native-2", "plan")
    return "end_turn"
  },
  "approval": async (play) => {
    process.on("SIGTERM", () => undefined)
    await ask(play, "native-a")
    return "end_turn"
  },
  "two-approvals": async (play) => {
    await Promise.all([ask(play, "native-a"), ask(play, "native-b")])
    return "end_turn"
  },
  "open-approval": async (play) => {
    void ask(play, "native-a")
    return "end_turn"
  },
  "approval-in-turn-2": async (play, turn) => turnOf[turn === 1 ? "text" : "approval"](play, turn),
  "interrupt": async (play) => {
    await begin(play, "native-a", "a")
    await play.cancelled
    return "cancelled"
  },
  "interrupt-unconfirmed": async (play) => {
    process.on("SIGTERM", () => undefined)
    setInterval(() => undefined, 60_000)
    await begin(play, "native-a", "a")
    return new Promise(() => undefined)
  },
  "interrupt-late": async (play) => {
    setInterval(() => undefined, 60_000)
    await begin(play, "native-a", "a")
    await finish(play, "native-a", "completed", "")
    process.on("SIGTERM", () => writeSync(1, `${JSON.stringify({ jsonrpc: "2.0", id: promptId, result: { stopReason: "cancelled" } })}\n`))
    return new Promise(() => undefined)
  },
  "process-dies": async (play) => {
    await say(play, "native-text", "half")
    await writeRaw("")
    process.exit(1)
  },
  "resume": async (play, turn) => turnOf.text(play, turn),
  "refused-resume": async (play, turn) => turnOf.text(play, turn),
  "unknown-frames": async (play) => {
    await play.client.notify(raw.unknown, {})
    await say({ ...play, sessionId: "native-other" }, "native-other-text", "of another session")
    await tell(play, { sessionUpdate: "tool_call", toolCallId: 5, title: "a", kind: "execute", status: "in_progress" })
    await tell(play, { sessionUpdate: "usage_update", used: -1, size: "many" })
    await tell(play, { sessionUpdate: "something_else" })
    return turnOf.text(play, 1)
  },
  "long-line": async (play) => {
    await say(play, "native-text", "half")
    await writeRaw(`{"x":"${"x".repeat(17 * 1024 * 1024)}"}\n`)
    return new Promise(() => undefined)
  },
  "late-frames": async (play) => {
    await hello(play)
    setImmediate(() => {
      void (async () => {
        await say(play, "native-late", "late")
        await begin(play, "native-late-call", "late")
        await allRead(play)
      })()
    })
    return "end_turn"
  },
  "execute": async (play) => {
    const terminal = await play.client.createTerminal({ sessionId: play.sessionId, command: "make" })
    const shown = [{ type: "terminal", terminalId: terminal.id }]
    await tell(play, {
      sessionUpdate: "tool_call",
      toolCallId: "native-a",
      title: "make",
      kind: "execute",
      status: "in_progress",
      content: shown
    })
    log({ answered: await terminal.waitForExit() })
    await terminal.release()
    await tell(play, { sessionUpdate: "tool_call_update", toolCallId: "native-a", status: "completed", content: shown })
    return "end_turn"
  },
  "client-files": async (play) => {
    const { client, sessionId } = play
    const report = (toolCallId: string, kind: string, path: string, status: string) =>
      tell(play, { sessionUpdate: "tool_call", toolCallId, title: path, kind, status, locations: [{ path }] })
    await report("native-a", "read", "/notes", "in_progress")
    log({ answered: await client.request("fs/read_text_file", { sessionId, path: "/notes", line: 2 }) })
    await report("native-a", "read", "/notes", "completed")
    log({ answered: await client.request("fs/read_text_file", { sessionId, path: "/none" }).catch(({ code }) => code) })
    await report("native-b", "edit", "/made", "in_progress")
    log({ answered: await client.request("fs/write_text_file", { sessionId, path: "/made", content: "made\n" }) })
    await report("native-b", "edit", "/made", "completed")
    return "end_turn"
  },
  "client-terminals": async ({ client, sessionId }) => {
    const terminal = await client.createTerminal({ sessionId, command: "sleep", args: ["600"], outputByteLimit: 1000 })
    log({ answered: await terminal.currentOutput() })
    await terminal.kill()
    log({ answered: await terminal.waitForExit() })
    log({ answered: await terminal.currentOutput() })
    await terminal.release()
    log({ answered: await terminal.currentOutput().catch(({ code }) => code) })
    const left = await client.createTerminal({ sessionId, command: "sleep", args: ["601"] })
    await left.release()
    return "end_turn"
  },
  "context": async (play) => {
    await tell(play, { sessionUpdate: "usage_update", used: 1, size: 10 })
    await tell(play, { sessionUpdate: "usage_update", used: 2 })
    return "end_turn"
  },
  "secret": async (play) => {
    const pieces = ["x ", scriptedSecret.slice(0, 7), scriptedSecret.slice(7, 20), scriptedSecret.slice(20), " y"]
    for (const piece of pieces) await say(play, "native-text", piece)
    await begin(play, "native-a", "a")
    for (let count = 1; count <= pieces.length; count++) {
      await finish(play, "native-a", "in_progress", pieces.slice(0, count).join(""))
    }
    await finish(play, "native-a", "completed", pieces.join(""))
    return "end_turn"
  },
  "plan": async (play) => {
    const entries = [
      { content: "Look", priority: "high", status: "completed" },
      { content: "Leap", priority: "low", status: "pending" }
    ]
    await tell(play, { sessionUpdate: "plan", entries })
    return "end_turn"
  },
  "wide-text": async (play) => {
    await say(play, "native-text", "a\u2028b \u{1F600}")
    return "end_turn"
  },
  "not-utf8": async (play) => {
    const update = { sessionUpdate: "agent_message_chunk", messageId: "native-text", content: { type: "text", text: "?" } }
    const line = JSON.stringify({ jsonrpc: "2.0", method: raw.update, params: { sessionId: play.sessionId, update } })
    const bytes = Buffer.from(`${line}\n`)
    bytes[bytes.indexOf("?")] = 0xff
    await new Promise<void>((resolve) => process.stdout.write(bytes, () => resolve()))
    return "end_turn"
  },
  "preamble": async (play, turn) => turnOf.text(play, turn),
  "refused-call": async (play) => {
    await ask(play, "native-a")
    await finish(play, "native-a", "failed", "rejected")
    return "end_turn"
  },
  "unknown-request": async ({ client }) => {
    log({ answered: await client.request(raw.unknown, {}).catch((error) => error.code) })
    return "end_turn"
  },
  "elicitation": async ({ client, sessionId }) => {
    const requestedSchema = { type: "object", properties: { name: { type: "string" } } }
    log({ answered: await client.request(raw.elicitation, { sessionId, mode: "form", message: "Your name?", requestedSchema }) })
    return "end_turn"
  },
  "mute": async (play) => {
    await say(play, "native-text", "half")
    await writeRaw("")
    return mute()
  },
  "mute-start": async () => "end_turn",
  "silent-load": async (play, turn) => turnOf.text(play, turn),
  "limit": async () => "max_tokens",
  "login": async () => "end_turn",
  "old-protocol": async () => "end_turn",
  "nameless": async () => "end_turn",
  "silent-exit": async () => "end_turn"
}

if (scenario === "silent-exit") {
  process.stderr.write("\u001b[31mNo model is configured\u001b[0m\n")
  process.exit(3)
}
if (scenario === "mute-start") await mute()
if (scenario === "preamble") await writeRaw("Welcome to the agent\n")

const isScenario = (name: string): name is AgentScenario => Object.hasOwn(turnOf, name)
if (!isScenario(scenario)) throw new Error(`No scenario ${scenario}`)

let turns = 0
let cancel = (): void => undefined

agent({ name: "scripted" })
  .onRequest("initialize", () => ({
    protocolVersion: scenario === "old-protocol" ? 0 : 1,
    agentCapabilities: { loadSession: true },
    ...(scenario === "nameless" ? {} : { agentInfo: { name: "scripted", version: "1.0.0" } })
  }))
  .onRequest("session/new", () => {
    if (scenario === "login") throw RequestError.authRequired()
    return { sessionId: "native-session" }
  })
  .onRequest("session/load", async ({ client, params: { sessionId } }) => {
    if (scenario === "silent-load") return new Promise(() => undefined)
    if (scenario === "refused-resume") throw new RequestError(-32603, "No such session")
    const play = { client, sessionId, cancelled: Promise.resolve() }
    await tell(play, { sessionUpdate: "user_message_chunk", content: { type: "text", text: "old input" } })
    await say(play, "native-old", "old text")
    await begin(play, "native-old-call", "old command")
    return {}
  })
  .onRequest("session/prompt", async ({ client, params: { prompt, sessionId } }) => {
    log({ input: prompt.map((block) => (block.type === "text" ? block.text : "")).join("") })
    const cancelled = new Promise<void>((resolve) => {
      cancel = resolve
    })
    return { stopReason: await turnOf[scenario]({ client, sessionId, cancelled }, ++turns) }
  })
  .onNotification("session/cancel", () => cancel())
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)))
