import Database from "better-sqlite3"
import { Effect } from "effect"
import fc from "fast-check"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fillHome } from "../testing/sample-home.ts"
import { repairDatabase, type Repaired } from "./repair-database.ts"

const tables = ["schema_migration", "run", "session", "turn", "event", "tool_call", "asset", "operation"]
const keys: Readonly<Record<string, ReadonlyArray<string>>> = {
  run: ["run_id"],
  session: ["conversation_id"],
  turn: ["turn_id"],
  event: ["conversation_id", "sequence"],
  tool_call: ["call_id"],
  asset: ["asset_id"],
  operation: ["operation_id"]
}

type Rows = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Every row by table and key, as text. */
const rowsOf = (file: string): Rows => {
  const database = new Database(file, { readonly: true })
  try {
    return new Map(tables.map((table) => {
      const rows = database.prepare<[], Record<string, unknown>>(`SELECT rowid AS "the rowid", * FROM ${table}`).all()
      return [table, new Map(rows.map((row) => [(keys[table] ?? ["version"]).map((key) => String(row[key])).join(" "), JSON.stringify(row)]))]
    }))
  } finally {
    database.close()
  }
}

const folder = mkdtempSync(join(tmpdir(), "steno-salvage-"))
const sound = join(folder, "sound.sqlite")
const file = join(folder, "core.sqlite")
let original: Rows
let bytes: Buffer

beforeAll(async () => {
  await Effect.runPromise(fillHome(sound, 70))
  original = rowsOf(sound)
  bytes = readFileSync(sound)
}, 60_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const pageBytes = 4096

/** A row that was made anew counts its owners from the beginning. */
const withoutFence = (row: string): string => row.replace(/"the rowid":\d+/, "").replace(/"(epoch|owned_at)":("[^"]*"|\d+)/g, "")

type Damage = (bytes: Buffer) => void

const noise = fc.uint8Array({ minLength: pageBytes, maxLength: pageBytes })
const damage: fc.Arbitrary<{ readonly what: string; readonly change: Damage }> = fc.oneof(
  fc.nat().map((page) => ({
    what: `page ${page} of zeros`,
    change: (file: Buffer) => {
      const at = page % (file.length / pageBytes) * pageBytes
      file.fill(0, at, at + pageBytes)
    }
  })),
  fc.tuple(fc.nat(), noise).map(([page, content]) => ({
    what: `page ${page} of noise`,
    change: (file: Buffer) => file.set(content, page % (file.length / pageBytes) * pageBytes)
  })),
  fc.nat().map((place) => ({
    what: `4 KiB of zeros at ${place}`,
    change: (file: Buffer) => {
      const at = place % (file.length - pageBytes)
      file.fill(0, at, at + pageBytes)
    }
  }))
)

const repaired = async (change: Damage): Promise<Repaired> => {
  const damaged = Buffer.from(bytes)
  change(damaged)
  writeFileSync(file, damaged)
  const result = await Effect.runPromise(repairDatabase({ file, restore: () => Effect.succeed([]) }))
  for (const suffix of ["", ".losses.json"]) rmSync(result.copy + suffix)
  return result
}

/** Judges one repair; gives how many rows are gone. */
const judge = ({ losses, restored }: Repaired): number => {
  const found = rowsOf(file)
  let gone = 0
  for (const table of tables.slice(1)) {
    const [before, after] = [original.get(table) ?? new Map(), found.get(table) ?? new Map()]
    let anew = 0
    for (const [key, row] of after) {
      if (table === "run" && row !== before.get(key)) {
        expect(withoutFence(row)).toBe(withoutFence(before.get(key) ?? ""))
        anew++
      } else expect(row).toBe(before.get(key))
    }
    expect(anew).toBeLessThanOrEqual(restored.runs)
    const loss = losses.find((one) => one.table === table)
    const missing = [...before].filter(([key]) => !after.has(key)).map(([, row]): Record<string, unknown> => JSON.parse(row))
    gone += missing.length
    for (const { known } of loss?.rows ?? []) {
      expect(Object.keys(known)).not.toEqual([])
      expect(missing.some((row) => Object.entries(known).every(([column, value]) => row[column] === value))).toBe(true)
    }
    if (loss?.isUncertain !== true) expect(loss?.rows ?? []).toHaveLength(missing.length)
  }
  const database = new Database(file, { readonly: true })
  expect(database.pragma("integrity_check", { simple: true })).toBe("ok")
  database.close()
  return gone
}

describe("a repair of a database in which something was overwritten", () => {
  it("gives back rows that were there, each as it was, and names every one that is gone", async () => {
    await fc.assert(fc.asyncProperty(damage, async ({ change }) => void judge(await repaired(change))), { numRuns: 60 })
  }, 120_000)

  it("page by page: no page costs rows but those on it, and most cost none", async () => {
    const losses: Array<number> = []
    for (let page = 1; page <= bytes.length / pageBytes; page++) {
      const result = await repaired((damaged) => void damaged.fill(0, (page - 1) * pageBytes, page * pageBytes))
      losses.push(judge(result))
      expect(result.losses.filter(({ isUncertain }) => isUncertain).map(({ table }) => `${page} ${table}`)
        .filter((text) => !text.endsWith("schema_migration"))).toEqual([])
    }
    expect(Math.max(...losses)).toBeLessThan(150)
  }, 240_000)
})
