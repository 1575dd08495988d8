import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, describe, expect, it } from "vitest"

const workspace = fileURLToPath(new URL("../../..", import.meta.url))
const scratch = mkdtempSync(join(tmpdir(), "steno-nx-cli-"))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** What a person's shell holds: nothing of the Nx or npm that runs this suite. */
const personsEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(NX_|npm_|INIT_CWD$|VITEST|NODE_OPTIONS$|FORCE_COLOR$)/.test(name))
)

const start = (program: string, words: ReadonlyArray<string>, cwd: string, environment = {}) => {
  const nx = spawn(program, words, { cwd, env: { ...personsEnvironment, ...environment }, detached: true })
  const stdout: Array<Buffer> = []
  nx.stdout.on("data", (chunk: Buffer) => stdout.push(chunk))
  nx.stderr.resume()
  const ended = new Promise<{ code: number | null; stdout: Buffer }>((resolve, reject) => {
    nx.once("error", reject)
    nx.once("close", (code) => resolve({ code, stdout: Buffer.concat(stdout) }))
  })
  return { nx, ended }
}

const startNx = (words: ReadonlyArray<string>, cwd = workspace) => start("npx", ["nx", "run", ...words], cwd)

const printedArgv = (stdout: Buffer): { argv: Array<string>; cwd: string } => {
  const line = stdout.toString("utf8").split("\n").find((candidate) => candidate.startsWith("{\"argv\":"))
  if (line === undefined) throw new Error(`the script printed nothing:\n${stdout.toString("utf8")}`)
  return JSON.parse(line) as { argv: Array<string>; cwd: string }
}

const fileHolds = (path: string, text: string) =>
  new Promise<void>((resolve) => {
    const watcher = watch(scratch, look)
    function look() {
      if (!existsSync(path) || !readFileSync(path, "utf8").includes(text)) return
      watcher.close()
      resolve()
    }
    look()
  })

describe("nx run <target> -- <words>", () => {
  it("hands every word after the first -- to the script, byte for byte", async () => {
    const words = [
      "$HOME", "`id`", "$(id)", "a  b", "\"quoted\"", "it's", "line one\nline two", "*", "--help", "--version", "",
      "--", "007", "1e3", "--no-json", "--a.b=1", "-x", "\\", "é €", "true", ";", "|", "&", ">", "%PATH%", "--json"
    ]
    const { ended } = startNx(["@steno/tool-nx-cli:print-argv", "--", ...words])
    expect(printedArgv((await ended).stdout).argv).toEqual(words)
  })

  it("keeps a second -- and what follows, as in `run start --harness command -- CMD`", async () => {
    const words = ["run", "start", "--harness", "command", "--", "printf '%s' \"$HOME\" | wc -c; exit 3"]
    const { ended } = startNx(["@steno/tool-nx-cli:print-argv", "--", ...words])
    expect(printedArgv((await ended).stdout).argv).toEqual(words)
  })

  it("loses the words in front of the first --: Nx drops them before any executor runs", async () => {
    const { ended } = startNx(["@steno/tool-nx-cli:print-argv", "run", "list", "--", "echo hi"])
    expect(printedArgv((await ended).stdout).argv).toEqual(["echo hi"])
  })

  it("runs the script in the folder of the caller, also where npx moved up to the package", async () => {
    const folder = join(workspace, "tools", "nx-cli", "src")
    const { ended } = startNx(["@steno/tool-nx-cli:print-argv", "--", "x"], folder)
    expect(printedArgv((await ended).stdout).cwd).toBe(folder)
  })

  it("ignores an INIT_CWD that another npm script left behind", async () => {
    const nx = join(workspace, "node_modules", ".bin", "nx")
    const folder = join(workspace, "tools")
    const { ended } = start(nx, ["run", "@steno/tool-nx-cli:print-argv", "--", "x"], folder, { INIT_CWD: scratch })
    expect(printedArgv((await ended).stdout).cwd).toBe(folder)
  })
})

describe("between the script and the person", () => {
  it("turns every non-zero exit code into 1, and 0 into 0", async () => {
    const codes = await Promise.all(
      ["0", "3"].map((code) => startNx(["@steno/tool-nx-cli:probe", "--", "exit", code]).ended)
    )
    expect(codes.map(({ code }) => code)).toEqual([0, 1])
  })

  it("leaves the bytes of stdout as they are, valid UTF-8 or not", async () => {
    const { ended } = startNx(["@steno/tool-nx-cli:probe", "--", "bytes"])
    expect((await ended).stdout.includes(Buffer.from([0x5b, 0xff, 0x00, 0xc3, 0x5d, 0x0a]))).toBe(true)
  })

  it("gives the script the caller's stdin", async () => {
    const { nx, ended } = startNx(["@steno/tool-nx-cli:probe", "--", "stdin"])
    nx.stdin.end("typed by a person\n")
    expect((await ended).stdout.toString("utf8")).toContain("typed by a person\n")
  })

  it("waits for the script to end by itself after Ctrl-C, which reaches it as SIGINT first", async () => {
    const log = join(scratch, "interrupted")
    const { nx, ended } = startNx(["@steno/tool-nx-cli:probe", "--", "until-signal", log])
    await fileHolds(log, "ready")
    if (nx.pid === undefined) throw new Error("npx did not start")
    process.kill(-nx.pid, "SIGINT")
    await ended
    const lines = readFileSync(log, "utf8").trim().split("\n")
    expect(lines.slice(0, 2)).toEqual(["ready", "SIGINT"])
    expect(lines.at(-1)).toBe("ended before the executor")
  })
})
