import { DoctorDocument, RunExport, TranscriptDocument } from "@steno/contracts"
import Database from "better-sqlite3"
import { Schema } from "effect"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { makePlace, type Place, runOf, steno } from "./testing.ts"

/** A Run of 25 Turns, so of 100 events, as if its one Turn had been followed by 24 like it. Admission, start, response, end of each. */
const hundredEvents = (): { readonly place: Place; readonly database: Database.Database } => {
  const place = makePlace()
  steno(place, ["run", "start", "--", "echo hello"])
  const database = new Database(join(place.home, "core.sqlite"))
  const rows = database.prepare<[], Record<string, string | number | null>>("SELECT * FROM event ORDER BY sequence").all()
  const columns = Object.keys(rows[0] ?? {})
  const insert = database.prepare(`INSERT INTO event (${columns.join()}) VALUES (${columns.map((column) => `@${column}`).join()})`)
  const copyTurn = database.prepare(`INSERT INTO turn (turn_id, conversation_id, origin, entry, admitted_at, result, settled_at)
    SELECT ?, conversation_id, origin, entry, admitted_at, result, settled_at FROM turn WHERE creation = 1`)
  for (let turn = 2; turn <= 25; turn++) {
    const number = String(turn).padStart(2, "0")
    const copied = (text: unknown) =>
      typeof text !== "string" ? null : text
        .replaceAll(/((?:turn|call)_\w{24})(\w\w)/g, (_, head: string, own: string) => head + (own === number ? "ZZ" : number))
        .replace("\"echo hello\"", `"echo ${turn}"`)
    copyTurn.run(copied(rows[0]?.["turn_id"]))
    for (const row of rows) {
      insert.run({
        ...row,
        sequence: Number(row["sequence"]) + (turn - 1) * 4,
        turn_id: copied(row["turn_id"]),
        item_id: copied(row["item_id"]),
        call_id: copied(row["call_id"]),
        payload: copied(row["payload"])
      })
    }
  }
  return { place, database }
}

const decodeTranscript = Schema.decodeUnknownSync(TranscriptDocument, { onExcessProperty: "error" })
const decodeExport = Schema.decodeUnknownSync(RunExport, { onExcessProperty: "error" })

const decodeDoctor = Schema.decodeUnknownSync(DoctorDocument)

const answer = (place: Place, args: ReadonlyArray<string>): string => {
  const { status, stderr, stdout } = steno(place, args)
  expect([args, status, stderr]).toEqual([args, 0, ""])
  return stdout
}

describe("a Run with one unreadable event among a hundred", () => {
  it.each([
    ["an object where a number was", 47, `payload = replace(payload, '"exitCode":0', '"exitCode":{}')`, "tool-call-response"],
    ["broken JSON in an admission", 49, "payload = '{broken'", "turn-admitted"],
    ["broken JSON in a start", 50, "payload = '{broken'", "tool-call-started"],
    ["an unknown type", 52, "type = 'turn-vanished'", "turn-vanished"]
  ])("%s: every command shows the other 99 and names event %i with its text", (_, sequence, assignment, storedType) => {
    const { database, place } = hundredEvents()
    expect(database.prepare(`UPDATE event SET ${assignment} WHERE sequence = ?`).run(sequence).changes).toBe(1)
    const payload = database.prepare<[number], string>("SELECT payload FROM event WHERE sequence = ?").pluck().get(sequence)
    database.close()

    const run = runOf(answer(place, ["run", "show", "@last", "--json"]))
    expect(run.unreadable).toMatchObject([{ session: "main", sequence, storedType, text: payload }])
    expect(run.turns).toHaveLength(25)
    const isInTimeline = storedType !== "turn-vanished"
    expect(run.timeline).toHaveLength(isInTimeline ? 100 : 99)
    expect(run.timeline.filter(({ unreadable }) => unreadable)).toHaveLength(isInTimeline ? 1 : 0)
    expect(run.calls).toHaveLength(25)
    const odd = run.calls.filter((call) => call.outcome !== "completed" || call.inputUnreadable)
    expect(odd).toMatchObject({
      "tool-call-response": [{ input: "echo 12", outcome: "indeterminate", reason: { code: "response-unreadable" } }],
      "tool-call-started": [{ ordinal: 13, input: "", inputUnreadable: true, outcome: "completed" }]
    }[storedType] ?? [])

    const transcript = decodeTranscript(JSON.parse(answer(place, ["run", "read", "@last", "--transcript", "--json"])))
    if (!("export" in transcript)) throw new Error("no transcript")
    expect(transcript.export.entries).toHaveLength(storedType === "turn-admitted" ? 24 : 25)
    expect(transcript.export.unreadable).toMatchObject([{ sequence, entriesBefore: storedType === "turn-admitted" ? 12 : sequence === 47 ? 12 : 13 }])
    expect(transcript.page.unreadable).toMatchObject([{ sequence }])

    const exported = decodeExport(JSON.parse(answer(place, ["run", "export", "@last", "--format", "json"])))
    expect(exported.sessions[0]?.unreadable).toEqual(transcript.export.unreadable)
    const said = `event ${sequence} cannot be read`
    expect(answer(place, ["run", "export", "@last"])).toContain(said)
    expect(answer(place, ["run", "show", "@last"])).toContain(said)
    expect(steno(place, ["run", "read", "@last", "--transcript"]).stdout).toContain(said)
    expect(answer(place, ["run", "list"])).toContain("succeeded")

    const examined = steno(place, ["doctor", "--json"])
    expect(examined.status).toBe(1)
    const { findings } = decodeDoctor(JSON.parse(examined.stdout))
    const [found, ...others] = findings.filter(({ severity }) => severity !== "ok")
    expect(others).toEqual([])
    expect(found).toMatchObject({ code: "session-incomplete", severity: "error", subject: run.runId })
    expect(found?.explanation).toContain(`what cannot be read: event ${sequence}`)
  }, 60_000)
})
