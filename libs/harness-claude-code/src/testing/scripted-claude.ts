/**
 * A small program that speaks as Claude Code was recorded to speak, for tests of the process side.
 *
 * Owns: the frames of the scenarios. It writes into a journal what it was sent, and which processes it is.
 * Never owns: what the frames mean: they are shaped like those of the recordings.
 */
import { spawn } from "node:child_process"
import { appendFileSync } from "node:fs"
import process from "node:process"
import { isFields, type Fields, fieldsAt, listAt, textAt } from "../frame-fields.ts"

const scenario = process.env["SCRIPTED_SCENARIO"] ?? "text"
const journal = process.env["SCRIPTED_JOURNAL"] ?? "/dev/null"
const secret = process.env["SCRIPTED_SECRET"] ?? ""
const version = "2.1.332"
const after = (flag: string): string | undefined => {
  const at = process.argv.indexOf(flag)
  return at < 0 ? undefined : process.argv[at + 1]
}
const resumed = after("--resume")
const session = resumed ?? "native-session"

const note = (kind: string, value: unknown): void => appendFileSync(journal, `${JSON.stringify({ kind, value })}\n`)
let gathered: string | undefined
const write = (text: string): void => {
  if (gathered === undefined) process.stdout.write(text)
  else gathered += text
}
/** What is said meanwhile is read as one piece. */
const together = (told: () => void): void => {
  gathered = ""
  told()
  const text = gathered
  gathered = undefined
  process.stdout.write(text)
}
const say = (frame: Fields): void => write(`${JSON.stringify({ session_id: session, uuid: "native-uuid", ...frame })}\n`)

const main = { parent_tool_use_id: null }
const event = (value: Fields): void => say({ type: "stream_event", event: value, ...main })
const assistant = (id: string, block: Fields, more: Fields = {}): void =>
  say({ type: "assistant", message: { id, role: "assistant", model: "scripted-model", content: [block] }, ...main, ...more })

const begin = (id: string): void =>
  event({ type: "message_start", message: { id, role: "assistant", model: "scripted-model", content: [] } })
const open = (index: number, block: Fields): void => event({ type: "content_block_start", index, content_block: block })
const delta = (index: number, value: Fields): void => event({ type: "content_block_delta", index, delta: value })
const close = (index: number): void => event({ type: "content_block_stop", index })

const textBlock = (id: string, index: number, ...pieces: ReadonlyArray<string>): void => {
  open(index, { type: "text", text: "" })
  for (const piece of pieces) delta(index, { type: "text_delta", text: piece })
  assistant(id, { type: "text", text: pieces.join("") })
  close(index)
}
const message = (id: string, ...pieces: ReadonlyArray<string>): void => {
  begin(id)
  textBlock(id, 0, ...pieces)
  event({ type: "message_stop" })
}
const half = (): void => {
  begin("native-half")
  open(0, { type: "text", text: "" })
  delta(0, { type: "text_delta", text: "half" })
}
const thought = (id: string, index: number, thinking: string): void => {
  open(index, { type: "thinking", thinking: "" })
  delta(index, { type: "thinking_delta", thinking })
  assistant(id, { type: "thinking", thinking }, { thinking_duration_ms: 3 })
  close(index)
}
const call = (id: string, command: string, name = "Bash", input: Fields = { command }): void =>
  assistant(`message-of-${id}`, { type: "tool_use", id, name, input })
const printed = (id: string, stdout: string): void =>
  say({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: stdout, is_error: false }] },
    tool_use_result: { stdout, stderr: "", interrupted: false },
    tool_result_meta: [{ id, permission_decision: { decision: "accept", source: "config" } }],
    ...main
  })
const failed = (id: string, content: string, meta: Fields = { permission_decision: { decision: "accept", source: "config" } }): void =>
  say({
    type: "user",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content, is_error: true }] },
    tool_use_result: `Error: ${content}`,
    tool_result_meta: [{ id, ...meta }],
    ...main
  })
const init = (): void =>
  say({
    type: "system",
    subtype: "init",
    tools: ["Bash", "Read"],
    mcp_servers: [],
    slash_commands: ["compact"],
    claude_code_version: version
  })
const result = (more: Fields = {}): void =>
  say({
    type: "result",
    subtype: "success",
    is_error: false,
    terminal_reason: "completed",
    result: "the last text again",
    usage: { input_tokens: 10, output_tokens: 2 },
    modelUsage: { "scripted-model": { contextWindow: 1_000 } },
    ...more
  })
const aborted = { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_tools", errors: ["[ede_diagnostic] x"] }
const lifecycle = (uuid: string, state: string): void => say({ type: "command_lifecycle", command_uuid: uuid, state })

/** Resolves with each of the values in turn. */
class Inbox<Value> {
  readonly #values: Array<Value> = []
  readonly #takers: Array<(value: Value) => void> = []

  put(value: Value): void {
    const taker = this.#takers.shift()
    if (taker === undefined) this.#values.push(value)
    else taker(value)
  }

  take(): Promise<Value> {
    const value = this.#values.shift()
    return value === undefined ? new Promise((resolve) => this.#takers.push(resolve)) : Promise.resolve(value)
  }
}

const steers = new Inbox<string>()
const interrupts = new Inbox<string>()
const answers = new Map<string, Inbox<Fields>>()
let requests = 0

/** Resolves with how it was answered. */
const permission = async (toolUseId: string, toolName: string, input: Fields, more: Fields = {}): Promise<Fields> => {
  const requestId = `native-request-${++requests}`
  const inbox = new Inbox<Fields>()
  answers.set(requestId, inbox)
  note("asked", requestId)
  say({
    type: "control_request",
    request_id: requestId,
    request: { subtype: "can_use_tool", tool_name: toolName, input, tool_use_id: toolUseId, ...more }
  })
  return inbox.take()
}
const bashPermission = (id: string): Promise<Fields> => {
  call(id, "make")
  return permission(id, "Bash", { command: "make" })
}
/** A command of the program, in a session of its own. */
const lastingCommand = (id: string): void => {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" })
  note("pid", child.pid)
  call(id, "sleep 600")
}

type Play = (turn: number) => Promise<void> | void

const hello: Play = () => {
  message("native-text", "Hel", "lo")
  result()
}
const secretPieces = (): ReadonlyArray<string> => ["x ", secret.slice(0, 7), secret.slice(7, 20), secret.slice(20), " y"]

/** A Turn ends, and the program begins something by itself. */
const endsAndGoesOn = (): void =>
  together(() => {
    message("native-1", "first")
    result()
    init()
    message("native-2", "nobody asked")
  })

const plays: Readonly<Record<string, Play>> = {
  "text": hello,
  "two-blocks": () => {
    begin("native-1")
    textBlock("native-1", 0, "one")
    textBlock("native-1", 1, "two")
    result()
  },
  "calls": () => {
    call("native-a", "a")
    call("native-b", "b")
    printed("native-b", "out-b\n")
    failed("native-a", "out-a\n")
    result()
  },
  "long-output": () => {
    call("native-a", "a")
    printed("native-a", "x".repeat(30_001))
    result()
  },
  "running-call": () => {
    call("native-a", "a")
    result()
  },
  "pending-text": () => {
    half()
    result({ is_error: true, terminal_reason: "api_error", api_error_status: 529, result: "API Error: 529 overloaded" })
  },
  "thoughts": () => {
    begin("native-1")
    thought("native-1", 0, " \n")
    thought("native-1", 1, "plan")
    result()
  },
  "approval": async () => {
    await bashPermission("native-a")
    result()
  },
  "two-approvals": async () => {
    await Promise.all([bashPermission("native-a"), bashPermission("native-b")])
    result()
  },
  "open-approval": async () => {
    const answer = bashPermission("native-a")
    result()
    await answer
  },
  "approval-in-turn-2": async (turn) => {
    if (turn > 1) await bashPermission("native-a")
    result()
  },
  "steer": async () => {
    const uuid = await steers.take()
    lifecycle(uuid, "started")
    result()
  },
  "pending-steer": async () => {
    await steers.take()
    await interrupts.take()
    result(aborted)
  },
  "late-steer": async () => {
    const uuid = await steers.take()
    message("native-1", "too late")
    result()
    lifecycle(uuid, "started")
    init()
    message("native-2", "as you say")
    result({ user_message_uuids: [uuid] })
    lifecycle(uuid, "completed")
  },
  "interrupt": async () => {
    lastingCommand("native-a")
    await interrupts.take()
    failed("native-a", "The user doesn't want to proceed", { non_execution_kind: "user-rejected" })
    result(aborted)
  },
  "interrupt-unconfirmed": async () => {
    process.on("SIGTERM", () => undefined)
    lastingCommand("native-a")
    await interrupts.take()
  },
  "process-dies": () => {
    lastingCommand("native-a")
    half()
    process.kill(process.pid, "SIGKILL")
  },
  "resume": hello,
  "unknown-frames": () => {
    say({ type: "novelty", text: "new" })
    say({ type: "system", subtype: "novelty" })
    assistant("native-foreign", { type: "text", text: "of another session" }, { session_id: "native-other" })
    say({ type: "assistant", message: "not a message", ...main })
    say({ type: "assistant", message: { id: 7, content: [{ type: "tool_use", name: 3 }] }, ...main })
    write("[1, 2]\n")
    return hello(1)
  },
  "long-line": () => {
    half()
    write(`${"x".repeat(16 * 1024 * 1024 + 1)}\n`)
  },
  "late-frames": () =>
    together(() => {
      void hello(1)
      message("native-late", "late")
      call("native-late-call", "a")
    }),
  "secret": () => {
    message("native-text", ...secretPieces())
    call("native-a", "a")
    printed("native-a", secretPieces().join(""))
    result()
  },
  "separators": () => {
    message("native-text", "line\u2028separator ", "grin \u{1f600}")
    result()
  },
  "invalid-bytes": () => {
    begin("native-text")
    const [head = "", tail = ""] = JSON.stringify({
      type: "assistant",
      session_id: session,
      message: { id: "native-text", content: [{ type: "text", text: "before|after" }] },
      ...main
    }).split("|")
    process.stdout.write(Buffer.concat([Buffer.from(head), Buffer.from([0xff]), Buffer.from(`${tail}\n`)]))
    result()
  },
  "not-json": () => {
    half()
    write("{broken\n")
  },
  "unknown-request": async () => {
    const inbox = new Inbox<Fields>()
    answers.set("native-unknown", inbox)
    say({ type: "control_request", request_id: "native-unknown", request: { subtype: "novelty" } })
    note("answer", await inbox.take())
    result()
  },
  "question": async () => {
    const questions = [{ question: "Which colour?", header: "Colour", options: [{ label: "Blue" }, { label: "Red" }] }]
    call("native-q", "", "AskUserQuestion", { questions })
    note("answer", await permission("native-q", "AskUserQuestion", { questions }, { requires_user_interaction: true }))
    result()
  },
  "withdrawn": async () => {
    void bashPermission("native-a")
    say({ type: "control_cancel_request", request_id: `native-request-${requests}` })
    result()
  },
  "agent-call": async () => {
    const input = { reason: "all done" }
    call("native-done", "", "mcp__steno__run_done", input)
    note("answer", await permission("native-done", "mcp__steno__run_done", input))
    printed("native-done", "accepted")
    result()
  },
  "unasked": async (turn) => (turn > 1 ? hello(turn) : endsAndGoesOn()),
  "waiting": () => endsAndGoesOn(),
  "unauthorized": () => result({ is_error: true, terminal_reason: "api_error", api_error_status: 401, result: "API Error: 401" })
}

let turns = 0
let live = false

const endUnasked = (): void => result({ origin: { kind: "task-notification" } })

const input = (frame: Fields): void => {
  const [part] = listAt(fieldsAt(frame, "message"), "content")
  const uuid = textAt(frame, "uuid") ?? ""
  note("input", isFields(part) ? part["text"] : undefined)
  lifecycle(uuid, "queued")
  if (live) return steers.put(uuid)
  if (scenario === "waiting" && turns === 1) return
  if (scenario === "unasked" && turns === 1) endUnasked()
  live = true
  lifecycle(uuid, "started")
  if (scenario !== "other-session") init()
  else say({ type: "system", subtype: "init", session_id: "native-other" })
  void Promise.resolve(plays[scenario]?.(++turns)).then(() => {
    live = false
  })
}

const handshake = (requestId: string): void => {
  if (scenario === "refused-resume") {
    process.stderr.write(`No conversation found with session ID: ${session}\n`)
    process.exit(1)
  }
  if (scenario === "silent") return
  if (resumed !== undefined) message("native-old", "of the first process")
  note("arguments", process.argv.slice(2))
  const response = { commands: [], claude_code_version: version, account: {} }
  say({ type: "control_response", response: { subtype: "success", request_id: requestId, response } })
}

const control = (requestId: string, request: Fields): void => {
  const succeed = (response: Fields): void =>
    say({ type: "control_response", response: { subtype: "success", request_id: requestId, response } })
  switch (request["subtype"]) {
    case "initialize":
      return handshake(requestId)
    case "interrupt":
      succeed({ still_queued: [] })
      return interrupts.put(requestId)
    case "cancel_async_message":
      lifecycle(textAt(request, "message_uuid") ?? "", "cancelled")
      return succeed({ cancelled: true })
    case "set_model":
      note("model", request["model"])
      if (request["model"] !== "no-model") return succeed({ model: request["model"] })
      return say({ type: "control_response", response: { subtype: "error", request_id: requestId, error: "no such model" } })
    default:
      note("unknown", request)
  }
}

const answered = (response: Fields): void => {
  const requestId = textAt(response, "request_id") ?? ""
  const said = fieldsAt(response, "response")
  note("answered", { requestId, as: response["subtype"] === "error" ? "cancelled" : said["behavior"] === "allow" ? "allowed" : "denied" })
  answers.get(requestId)?.put(response["subtype"] === "error" ? response : said)
}

const take = (line: string): void => {
  const frame: unknown = JSON.parse(line)
  if (!isFields(frame)) return
  if (frame["type"] === "control_request") control(textAt(frame, "request_id") ?? "", fieldsAt(frame, "request"))
  if (frame["type"] === "control_response") answered(fieldsAt(frame, "response"))
  if (frame["type"] === "user") input(frame)
}

if (process.argv.includes("--version")) {
  write(`${process.env["SCRIPTED_VERSION"] ?? version} (Claude Code)\n`)
  process.exit(0)
}
note("pid", process.pid)
if (scenario === "preamble") write("Welcome.\n")
if (scenario === "old-flags") {
  process.stderr.write("error: unknown option\n")
  process.exit(1)
}
let rest = ""
process.stdin.setEncoding("utf8")
process.stdin.on("data", (text: string) => {
  const lines = (rest + text).split("\n")
  rest = lines.pop() ?? ""
  for (const line of lines) take(line)
})
process.stdin.on("end", () => {
  if (scenario !== "interrupt-unconfirmed") process.exit(0)
  setInterval(() => undefined, 60_000)
})
