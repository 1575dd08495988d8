/**
 * Makes the golden home of the present schema with the real program.
 *
 * Usage: `node scripts/golden-home.ts`. Writes `goldens/home-<schema>`, and refuses one that exists: a golden is
 * made once, by the release that first wrote its schema, and kept for ever.
 *
 * Owns: the Runs of a golden home: one that succeeded, one that failed, one whose owner was killed and that was
 * reconciled (halted), one whose owner was killed last and that nobody has opened since (unfinished).
 * Never owns: the README beside it, which is written by hand.
 */
import Database from "better-sqlite3"
import { spawn, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { migrations } from "../src/migrations/migrations.ts"

const schema = String(migrations.length).padStart(4, "0")
const target = fileURLToPath(new URL(`../goldens/home-${schema}`, import.meta.url))
if (existsSync(target)) throw new Error(`${target} exists; a golden is never made again`)

const program = fileURLToPath(new URL("../../../apps/cli/bin/steno.js", import.meta.url))
const home = join(mkdtempSync(join(tmpdir(), "steno-golden-")), "home")
const workspace = join(tmpdir(), "steno-golden-workspace")
mkdirSync(workspace, { recursive: true })

const database = join(home, "core.sqlite")
const start = (command: string) =>
  ["--home", home, "run", "start", "--harness", "command", "--workspace", workspace, "--json", "--", command]

const finish = (args: ReadonlyArray<string>, exitCode: number): void => {
  const ended = spawnSync(process.execPath, [program, ...args], { encoding: "utf8" })
  if (ended.status !== exitCode) throw new Error(`${args.join(" ")} ended with ${ended.status}: ${ended.stdout}${ended.stderr}`)
}

const read = <Row>(sql: string): ReadonlyArray<Row> => {
  const connection = new Database(database, { readonly: true })
  const rows = connection.prepare<[], Row>(sql).all()
  connection.close()
  return rows
}

const outputOf = (callId: string): string => {
  const path = readdirSync(join(home, "data"), { recursive: true, encoding: "utf8" })
    .find((name) => name.endsWith(join(callId, "stdout.txt")))
  return path === undefined ? "" : readFileSync(join(home, "data", path), "utf8")
}

/** Kills the program with SIGKILL once its command has written; gives the process of the command. */
const killOwner = async (command: string, written: string): Promise<number> => {
  const owner = spawn(process.execPath, [program, ...start(command)], { stdio: "ignore" })
  const exited = new Promise((resolve) => owner.once("exit", resolve))
  for (;;) {
    const [call] = read<{ call_id: string; process: string | null }>("SELECT call_id, process FROM tool_call")
    if (call !== undefined && call.process !== null && outputOf(call.call_id) === written) {
      owner.kill("SIGKILL")
      await exited
      return Number(JSON.parse(call.process).pid)
    }
    if (owner.exitCode !== null) throw new Error(`The owner ended by itself with ${owner.exitCode}`)
    await wait(20)
  }
}

finish(start("printf 'one\\ntwo\\n'; echo note >&2"), 0)
finish(start("echo 'no such test' >&2; exit 3"), 1)
await killOwner("echo begun; sleep 600", "begun\n")
finish(["--home", home, "run", "list", "--all", "--json"], 0)
const left = await killOwner("echo waiting; sleep 600", "waiting\n")
process.kill(-left, "SIGKILL")

const connection = new Database(database)
connection.pragma("wal_checkpoint(TRUNCATE)")
const runs = connection.prepare<[], { run_id: string; state: string; input: string }>("SELECT * FROM run").all()
connection.close()
const files = readdirSync(home)
if (files.some((name) => name.startsWith("core.sqlite-"))) throw new Error(`Not one file: ${files.join(", ")}`)
cpSync(home, target, { recursive: true })
rmSync(join(home, ".."), { recursive: true })
rmSync(workspace, { recursive: true })
for (const { run_id: runId, state, input } of runs) process.stdout.write(`${runId} ${state} ${input}\n`)
