/**
 * A small program that speaks as Claude Code was recorded to speak, for tests of the process side.
 *
 * Owns: its start, its control requests, when a Turn begins. It writes into a journal what it was sent, and which processes it is.
 * Never owns: what it plays (scripted-plays), what the frames mean.
 */
import process from "node:process"
import { type Fields, fieldsAt, isFields, listAt, textAt } from "../frame-fields.ts"
import { answers, interrupts, steers } from "./scripted-client.ts"
import { init, lifecycle, message, note, result, resumed, say, scenario, session, version, write } from "./scripted-frames.ts"
import { plays } from "./scripted-plays.ts"

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
  note("environment", process.env)
  const account = scenario === "logged-out" ? { tokenSource: "none", apiProvider: "firstParty" } : {}
  const response = { commands: [], claude_code_version: version, account }
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
    case "mcp_set_servers":
      note("servers", request["servers"])
      return succeed({ added: ["steno"], removed: [], errors: scenario === "unreachable-server" ? { steno: "Connection closed" } : {} })
    case "set_model":
      note("model", request["model"])
      if (request["model"] === "slow-model") return
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
  if (scenario !== "interrupt-unconfirmed" && scenario !== "interrupt-late") process.exit(0)
  setInterval(() => undefined, 60_000)
})
