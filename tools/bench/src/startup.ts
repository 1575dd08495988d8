/** Start of the built command line beside `node -e 0`. */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { makeHome, removeHome } from "./core.ts"
import { report } from "./ratio.ts"

const cli = fileURLToPath(new URL("../../../apps/cli/", import.meta.url))
const packed = fileURLToPath(new URL("../dist/packed/", import.meta.url))
const rounds = 15

/** The bin of the packed program. */
export const packedBin = join(packed, "bin", "steno.js")

/** The files of the package as they are published: without sources, so that the bundle runs. */
export const pack = () => {
  execFileSync(process.execPath, [join(cli, "scripts", "build.ts")], { stdio: "inherit" })
  rmSync(packed, { recursive: true, force: true })
  mkdirSync(packed, { recursive: true })
  for (const part of ["bin", "dist", "package.json"]) cpSync(join(cli, part), join(packed, part), { recursive: true })
}

export const timedNode = (args: ReadonlyArray<string>): number => {
  const started = performance.now()
  const result = spawnSync(process.execPath, args, { encoding: "utf8" })
  if (result.status !== 0) throw new Error(result.stderr)
  return performance.now() - started
}

export const benchStartup = (): void => {
  pack()
  const home = makeHome()
  timedNode([packedBin, "--home", home, "run", "start", "--harness", "command", "--", "echo hello"])
  const commands: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["--version", ["--version"]],
    ["run list", ["--home", home, "run", "list", "--all"]],
    ["run show", ["--home", home, "run", "show", "@last"]]
  ]
  for (const [name, args] of commands) {
    timedNode([packedBin, ...args])
    const ratios = Array.from({ length: rounds }, () => timedNode([packedBin, ...args]) / timedNode(["-e", "0"]))
    report(`built CLI, \`${name}\`, against node -e 0`, ratios, { unit: " ×", atMost: 6 })
  }
  removeHome(home)
}
