/**
 * A program that speaks as `codex app-server` does and plays one conformance scenario per start.
 *
 * Owns: the scenarios in Codex's words, those of the suite and some of its own. What reaches it is written to the journal file, a line of JSON each.
 */
import { appendFileSync, closeSync } from "node:fs"
import { createInterface } from "node:readline"

type Fields = Readonly<Record<string, unknown>>
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: Fields
  readonly result?: Fields
}

const [scenario = "", journal = ""] = process.argv.slice(2)
const threadId = "native-1"
const secret = "steno-secret-0123456789"
const split = [secret.slice(0, 7), secret.slice(7, 20), secret.slice(20)]

const note = (entry: Fields) => appendFileSync(journal, `${JSON.stringify(entry)}\n`)
const write = (message: Fields) => process.stdout.write(`${JSON.stringify(message)}\n`)
const tell = (method: string, params: Fields) => write({ method, params: { threadId, ...params } })

let turns = 0
let requests = 0
let steerer: ((params: Fields) => void) | undefined
let interrupted: (() => void) | undefined
const answers = new Map<number, (result: Fields) => void>()

const turnId = () => `native-turn-${turns}`
const item = (phase: "started" | "completed", fields: Fields) => tell(`item/${phase}`, { turnId: turnId(), item: fields })
const piece = (itemId: string, delta: string) => tell("item/agentMessage/delta", { turnId: turnId(), itemId, delta })
const message = (id: string, ...pieces: ReadonlyArray<string>) => {
  item("started", { type: "agentMessage", id, text: "" })
  for (const delta of pieces) piece(id, delta)
  item("completed", { type: "agentMessage", id, text: pieces.join("") })
}
const command = (id: string, text: string, fields: Fields = {}) => ({ type: "commandExecution", id, command: text, cwd: "/", status: "inProgress", ...fields })
const begun = (id: string, text: string) => item("started", command(id, text))
const over = (id: string, text: string, status: string, aggregatedOutput: string | null) =>
  item("completed", command(id, text, { status, aggregatedOutput }))
const end = (status = "completed", error: Fields | null = null) =>
  tell("turn/completed", { turn: { id: turnId(), items: [], status, error } })
const hello = () => message("native-text", "Hel", "lo")

const ask = (itemId: string) =>
  new Promise<Fields>((resolve) => {
    const id = requests++
    answers.set(id, resolve)
    write({
      id,
      method: "item/commandExecution/requestApproval",
      params: { threadId, turnId: turnId(), itemId, reason: "May it run?", command: "make", availableDecisions: ["accept", "cancel"] }
    })
  })
const asked = (...items: ReadonlyArray<string>) =>
  Promise.all(items.map(async (id, at) => {
    const { decision } = await ask(id)
    return { at, decision }
  })).then((decisions) => {
    for (const { decision } of decisions) note({ approval: decision })
  })
const steered = () => new Promise<Fields>((resolve) => (steerer = resolve))
const stopped = () => new Promise<void>((resolve) => (interrupted = resolve))

const diffOf = (last: number) =>
  Array.from({ length: last + 1 }, (_, at) => `diff --git a/f${at} b/f${at}\n--- a/f${at}\n+++ b/f${at}\n@@ -1 +1 @@\n-a\n+b\n`).join("")

const plays: Readonly<Record<string, () => unknown>> = {
  "text": () => (hello(), end()),
  "two-blocks": () => (message("native-1-a", "one"), message("native-1-b", "two"), end()),
  "calls": () => {
    begun("native-a", "a")
    begun("native-b", "b")
    over("native-b", "b", "completed", "out-b\n")
    over("native-a", "a", "failed", "out-a\n")
    end()
  },
  "long-output": () => (begun("native-a", "a"), over("native-a", "a", "completed", "x".repeat(30_001)), end()),
  "running-call": () => (begun("native-a", "a"), end()),
  "pending-text": () => (piece("native-text", "half"), end("failed", { message: "overloaded", codexErrorInfo: "other" })),
  "thoughts": () => {
    item("completed", { type: "reasoning", id: "native-r1", summary: [" \n"], content: [] })
    item("completed", { type: "reasoning", id: "native-r2", summary: ["plan"], content: ["private"] })
    end()
  },
  "diff": () => {
    for (let last = 0; last < 300; last++) tell("turn/diff/updated", { turnId: turnId(), diff: diffOf(last) })
    end()
  },
  "approval": async () => {
    process.on("SIGTERM", () => undefined)
    await asked("native-a")
    end()
  },
  "two-approvals": async () => {
    await asked("native-a", "native-b")
    end()
  },
  "open-approval": () => {
    void asked("native-a")
    end()
  },
  "steer": async () => {
    begun("native-a", "a")
    const { clientUserMessageId } = await steered()
    item("started", { type: "userMessage", id: "native-user", clientId: clientUserMessageId, content: [] })
    end()
  },
  "pending-steer": async () => {
    begun("native-a", "a")
    void steered()
    await stopped()
    end("interrupted")
  },
  "interrupt": async () => {
    begun("native-a", "a")
    await stopped()
    end("interrupted")
  },
  "interrupt-unconfirmed": () => {
    process.on("SIGTERM", () => undefined)
    setInterval(() => undefined, 1_000)
    begun("native-a", "a")
  },
  "interrupt-late": () => {
    process.on("SIGTERM", () => end("interrupted"))
    setInterval(() => undefined, 1_000)
    begun("native-a", "a")
    over("native-a", "a", "completed", "")
  },
  "process-dies": () => {
    piece("native-text", "half")
    process.stdout.write("", () => process.kill(process.pid, "SIGKILL"))
  },
  "withdrawn": () => {
    void asked("native-a")
    write({ method: "serverRequest/resolved", params: { threadId, requestId: 0 } })
    hello()
    end()
  },
  "cancelled-by-itself": () => end("interrupted"),
  "agents": async () => {
    const agent = (child: string) => {
      item("completed", { type: "collabAgentToolCall", id: `native-spawn-${child}`, tool: "spawnAgent", status: "completed", receiverThreadIds: [child] })
      tell("item/started", { threadId: child, turnId: `turn-of-${child}`, item: command(`native-of-${child}`, "a") })
    }
    agent("native-agent-over")
    tell("turn/completed", { threadId: "native-agent-over", turn: { id: "turn-of-native-agent-over", items: [], status: "completed", error: null } })
    agent("native-agent")
    await stopped()
    end("interrupted")
  },
  "idle": () => (hello(), tell("thread/status/changed", { status: { type: "idle" } })),
  "mute": () => {
    hello()
    closeSync(1)
    setInterval(() => undefined, 1_000)
  },
  "unknown-frames": () => {
    tell("something/new", { turnId: turnId() })
    tell("item/agentMessage/delta", { turnId: "another-turn", itemId: "native-foreign", delta: "foreign" })
    tell("item/started", { turnId: turnId(), item: { type: "commandExecution", id: 1 } })
    hello()
    end()
  },
  "long-line": () => {
    piece("native-text", "half")
    process.stdout.write(`{"padding":"${"x".repeat(16 * 1024 * 1024)}"}\n`)
  },
  "late-frames": () => {
    hello()
    end()
    message("native-late", "late")
    begun("native-late-call", "a")
  },
  "context": () => {
    const usage = (totalTokens: number, modelContextWindow: number | null) =>
      tell("thread/tokenUsage/updated", { turnId: turnId(), tokenUsage: { total: {}, last: { totalTokens }, modelContextWindow } })
    usage(1, 10)
    usage(2, null)
    end()
  },
  "secret": () => {
    const [first = "", ...rest] = split
    const pieces = [`x ${first}`, ...rest, " y"]
    message("native-text", ...pieces)
    begun("native-a", "a")
    for (const delta of pieces) tell("item/commandExecution/outputDelta", { turnId: turnId(), itemId: "native-a", delta })
    over("native-a", "a", "completed", null)
    end()
  }
}

const playOf = () => {
  if (scenario === "terminals-stay") return "interrupt"
  if (scenario === "agents-stay") return "agents"
  if (scenario === "approval-in-turn-2") return turns === 1 ? "text" : "approval"
  return scenario === "resume" ? "text" : scenario
}

const thread = { thread: { id: threadId }, model: "scripted" }

const handle = ({ id, method, params = {}, result }: Message): void => {
  if (method === undefined) {
    if (id !== undefined && result !== undefined) answers.get(id)?.(result)
    return
  }
  switch (method) {
    case "initialize":
      return void write({ id, result: { userAgent: "scripted/0.171.0" } })
    case "thread/start":
      return void write({ id, result: thread })
    case "thread/resume":
      if (scenario === "refused-resume") return void write({ id, error: { code: -32_600, message: "no rollout found" } })
      turns = 0
      message("native-old", "old")
      return void write({ id, result: thread })
    case "turn/start": {
      turns++
      const [first] = Array.isArray(params["input"]) ? params["input"] : []
      note({ input: first?.text })
      write({ id, result: { turn: { id: turnId(), status: "inProgress" } } })
      void Promise.resolve(plays[playOf()]?.()).then(() => note({ played: turns }))
      return
    }
    case "thread/read":
      return void write({ id, result: { thread: { id: threadId, turns: [{ id: "native-turn-0", status: "failed" }, { id: turnId(), status: "completed" }] } } })
    case "turn/steer":
      write({ id, result: { turnId: turnId() } })
      return steerer?.(params)
    case "turn/interrupt":
      if (scenario === "agents-stay" && params["threadId"] !== threadId) return void write({ id, error: { code: -32_600, message: "no" } })
      note({ interrupted: params["turnId"] })
      write({ id, result: {} })
      return params["threadId"] === threadId ? interrupted?.() : undefined
    case "thread/backgroundTerminals/clean":
      note({ cleaned: params["threadId"] })
      if (scenario === "terminals-stay") return void write({ id, error: { code: -32_601, message: "Method not found" } })
      return void write({ id, result: {} })
    default:
      if (id !== undefined) write({ id, error: { code: -32_601, message: "Method not found" } })
  }
}

note({ pid: process.pid })
createInterface({ input: process.stdin }).on("line", (line) => handle(JSON.parse(line) as Message))
