/**
 * What the scripted program does in a Turn, by scenario.
 *
 * Never owns: when a Turn begins (scripted-claude).
 */
import { closeSync } from "node:fs"
import process from "node:process"
import type { Fields } from "../frame-fields.ts"
import { answers, bashPermission, Inbox, interrupts, lastingCommand, permission, requestCount, steers } from "./scripted-client.ts"
import {
  aborted,
  assistant,
  begin,
  call,
  failed,
  framed,
  half,
  init,
  lifecycle,
  message,
  note,
  printed,
  result,
  say,
  secret,
  session,
  textBlock,
  thought,
  together,
  write
} from "./scripted-frames.ts"

const lineBytes = 16 * 1024 * 1024
const main = { parent_tool_use_id: null }

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

export const plays: Readonly<Record<string, Play>> = {
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
    process.on("SIGTERM", () => undefined)
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
  "interrupt-late": () => {
    process.on("SIGTERM", () => result(aborted))
    call("native-a", "a")
    printed("native-a", "")
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
    write(`${"x".repeat(lineBytes + 1)}\n`)
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
  /** Its result is a line of exactly as many bytes as the protocol allows. */
  "largest-line": () => {
    const frame = { type: "user", padding: "" }
    const rest = lineBytes - Buffer.byteLength(framed(frame))
    say({ ...frame, padding: "x".repeat(rest) })
    return hello(1)
  },
  "huge-line": () => {
    half()
    for (let megabytes = 0; megabytes < 64; megabytes++) write("x".repeat(1024 * 1024))
    write("\n")
  },
  "broken-between": () =>
    together(() => {
      void hello(1)
      write("{broken\n")
    }),
  "mute": () => {
    half()
    closeSync(1)
  },
  "elicitation": async () => {
    const inbox = new Inbox<Fields>()
    answers.set("native-elicitation", inbox)
    say({
      type: "control_request",
      request_id: "native-elicitation",
      request: { subtype: "elicitation", mcp_server_name: "forms", message: "Your name?", mode: "url", url: "https://example.org/form" }
    })
    note("answer", await inbox.take())
    result()
  },
  "late-agent": async (turn) => {
    if (turn === 1) {
      call("native-agent", "", "Task", { description: "Count" })
      printed("native-agent", "launched")
      return result()
    }
    const under = { parent_tool_use_id: "native-agent", agent_id: "native-1" }
    assistant("native-2", { type: "text", text: "of the first Turn" }, under)
    note("answer", await permission("native-a", "Bash", { command: "make" }, { agent_id: "native-1" }))
    return hello(turn)
  },
  "foreign-requests": async () => {
    for (const whose of [{ session_id: "native-other" }, { parent_tool_use_id: "native-agent" }]) {
      const inbox = new Inbox<Fields>()
      answers.set("native-foreign", inbox)
      const request = { subtype: "can_use_tool", tool_name: "Bash", input: { command: "make" }, tool_use_id: "native-a" }
      say({ type: "control_request", request_id: "native-foreign", request, ...whose })
      note("answer", await inbox.take())
    }
    return hello(1)
  },
  "question": async () => {
    const questions = [{ question: "Which colour?", header: "Colour", options: [{ label: "Blue" }, { label: "Red" }] }]
    call("native-q", "", "AskUserQuestion", { questions })
    note("answer", await permission("native-q", "AskUserQuestion", { questions }, { requires_user_interaction: true }))
    result()
  },
  "withdrawn": async () => {
    void bashPermission("native-a")
    say({ type: "control_cancel_request", request_id: `native-request-${requestCount()}` })
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
