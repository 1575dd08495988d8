/**
 * Packs the command line, installs the tarball into an empty folder and runs it there, as a person would.
 *
 * Owns: that what is published is whole: nothing of the workspace is needed, nothing of it is shipped but the bundle.
 * Limits: asks the npm registry for its dependencies through plain `npm install`.
 * Prints one line per check and ends with `N passed, N failed`.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { RunDocument } from "@steno/contracts"
import { Schema } from "effect"
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const workspace = fileURLToPath(new URL("../../../", import.meta.url))
const scratch = realpathSync(mkdtempSync(join(tmpdir(), "steno-pack-")))
const [packed, installed, work] = ["packed", "installed", "work"].map((name) => join(scratch, name)) as [string, string, string]
const installedCli = join(installed, "node_modules", "@steno", "cli")

let passed = 0
let failed = 0
const check = (claim: string, found: unknown, wanted: unknown) => {
  const holds = JSON.stringify(found) === JSON.stringify(wanted)
  if (holds) passed++
  else failed++
  process.stdout.write(`${holds ? "ok  " : "FAIL"} ${claim}${holds ? "" : `: ${JSON.stringify(found)}`}\n`)
}

/** The variables of a plain shell: nothing that npm or Nx added, no program of this workspace on the path. */
const plainEnvironment = (): NodeJS.ProcessEnv => {
  const kept = Object.entries(process.env).filter(([name]) => !/^(npm_|NX_|INIT_CWD$|NODE$|NODE_OPTIONS$|FORCE_COLOR$|STENO_)/.test(name))
  const path = (process.env["PATH"] ?? "").split(":").filter((entry) => !entry.includes("node_modules"))
  return { ...Object.fromEntries(kept), PATH: path.join(":"), NO_COLOR: "1", STENO_HOME: join(scratch, "home"), XDG_CACHE_HOME: join(scratch, "cache") }
}

const run = (folder: string, program: string, ...args: ReadonlyArray<string>) =>
  spawnSync(program, args, { cwd: folder, env: plainEnvironment(), encoding: "utf8" })
const steno = (...args: ReadonlyArray<string>) => run(installed, "npx", "--no", "--", "steno", ...args)

const manifestIn = (folder: string): Readonly<Record<string, unknown>> => JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
const runOf = (stdout: string) => {
  const { result } = Schema.decodeUnknownSync(RunDocument)(JSON.parse(stdout))
  if (!result.found) throw new Error(result.problem.explanation)
  return result.run
}

const installPacked = () => {
  for (const folder of [packed, installed, work]) mkdirSync(folder)
  const packing = run(workspace, "npm", "pack", "--workspace", "@steno/cli", "--pack-destination", packed)
  check("npm pack makes one tarball", [packing.status, readdirSync(packed).length], [0, 1])
  const tarball = join(packed, readdirSync(packed)[0] ?? packing.stderr)
  const installing = run(installed, "npm", "install", "--no-audit", "--no-fund", "--prefix", installed, tarball)
  check("it installs into an empty folder", installing.status === 0 ? 0 : installing.stderr, 0)
}

const checkContents = () => {
  const manifest = manifestIn(installedCli)
  check("its dependencies are what holds a program or native code", Object.keys(manifest["dependencies"] ?? {}), ["@vscode/ripgrep", "better-sqlite3", "node"])
  check("nothing marks it private", manifest["private"], undefined)
  check("it ships bundle, bin, readme and licence alone", readdirSync(installedCli).sort(), ["LICENSE", "README.md", "bin", "dist", "package.json"])
  check("its licence is the workspace's", readFileSync(join(installedCli, "LICENSE"), "utf8"), readFileSync(join(workspace, "LICENSE"), "utf8"))
  check("no other package of the workspace came with it", readdirSync(join(installed, "node_modules", "@steno")), ["cli"])
}

const checkCommands = () => {
  const { version } = manifestIn(installedCli)
  check("--version is the package's", steno("--version").stdout, `steno ${version}\n`)

  const started = steno("run", "start", "--workspace", work, "--json", "--", "pwd; echo packed >&2; exit 3")
  check("run start exits 1 for a command that exits 3", [started.status, started.stderr], [1, ""])
  const { calls, runId, state } = runOf(started.stdout)
  check("the Run failed with that exit code", [state, calls[0]?.outcome, calls[0]?.exitCode], ["failed", "completed", 3])
  check("stderr is kept", steno("run", "read", runId, "--call", "1", "--stream", "stderr", "--raw").stdout, "packed\n")
  check("run show finds it again", runOf(steno("run", "show", runId, "--json").stdout).state, "failed")
  check("run start exits 0 for a command that exits 0", steno("run", "start", "--workspace", work, "--", "true").status, 0)
  check("wrong usage exits 64", steno("run", "strat").status, 64)
}

/** One search, then a word about it: what the program finds of its own dependencies, and of what is loaded on demand. */
const checkHostedRun = () => {
  writeFileSync(join(work, "hay.txt"), "hay\na needle\n")
  writeFileSync(join(work, "plan.json"), JSON.stringify({
    steps: [
      { answer: { content: [{ type: "call", tool: "grep", arguments: { pattern: "needle", glob: "*.txt" } }] } },
      { expect: { results: [{ tool: "grep", contains: "hay.txt:2" }] }, answer: { content: [{ type: "text", text: "Found." }] } }
    ]
  }))
  const hosted = (model: string, variables: NodeJS.ProcessEnv = {}) =>
    spawnSync(
      "npx",
      ["--no", "--", "steno", "run", "start", "--workspace", work, "--harness", "hosted", "--model", model, "--json", "--", "find the needle"],
      { cwd: installed, env: { ...plainEnvironment(), ...variables }, encoding: "utf8" }
    )
  const searched = hosted("script:plan.json")
  check("a scripted Run searches with the installed ripgrep", [searched.status, searched.stderr, runOf(searched.stdout).calls[0]?.outcome], [0, "", "completed"])
  const unreachable = hosted("openai/m", { OPENAI_API_KEY: "sk-none-such", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" })
  check("a provider's model is asked, here without anybody to answer", [unreachable.status, runOf(unreachable.stdout).state], [1, "failed"])
}

/** What an outside agent starts to call its Run, with an owner that accepts every call. */
const checkAgentCalls = async () => {
  const path = join(scratch, "owner.sock")
  const owner = createServer((socket) => void socket.once("data", () => socket.end(`${JSON.stringify({ kind: "accepted" })}\n`)))
  await new Promise<void>((resolve) => void owner.listen(path, resolve))
  const client = new Client({ name: "smoke", version: "1" })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(installedCli, "bin", "steno.js"), "agent-calls", "serve"],
      env: { STENO_AGENT_CALL_SOCKET: path, STENO_AGENT_CALL_TOKEN: "token" }
    })
  )
  const { tools } = await client.listTools()
  check("an outside agent is offered the calls of its Run", tools.map(({ name }) => name), ["run_done", "run_failed"])
  const { content } = await client.callTool({ name: "run_done", arguments: { reason: "It is done." } })
  check("what it calls reaches its Run", content, [{ type: "text", text: "Accepted." }])
  await client.close()
  owner.close()
}

try {
  installPacked()
  checkContents()
  checkCommands()
  checkHostedRun()
  await checkAgentCalls()
} catch (error) {
  check("no step of the smoke test broke off", String(error), undefined)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed === 0 ? 0 : 1
