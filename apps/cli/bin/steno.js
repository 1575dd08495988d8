#!/usr/bin/env node
/**
 * Starts the command line with a Node that can run it.
 *
 * Owns: the version check, before anything native is loaded; continuing with the packaged Node.
 * Ordering: nothing of Steno is imported before the check.
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as nodeModule from "node:module"
import { homedir } from "node:os"
import { dirname, isAbsolute, join } from "node:path"
import { fileURLToPath } from "node:url"

/** A command that looks for a word of its own text, as `pkill -f` does, must not find this process. */
process.title = "steno"

const required = { major: 22, minor: 19 }

/** Not a command for people: what an outside agent starts to call its Run, a program of its own that starts in a fraction of the time. */
const servesAgentCalls = process.argv[2] === "agent-calls" && process.argv[3] === "serve"

const [major, minor] = process.versions.node.split(".").map(Number)
const isNewEnough = major > required.major || (major === required.major && minor >= required.minor)

/** Where compiled code of the bundle is kept, in the person's own cache: a start takes a quarter less time with it. Undefined where there is none. */
const compileCache = () => {
  try {
    const caches = process.env.XDG_CACHE_HOME || join(homedir(), ".cache")
    return isAbsolute(caches) ? join(caches, "steno", "compiled") : undefined
  } catch {
    return undefined
  }
}

/** The packaged Node, or undefined where its package is missing or was installed without its script. */
const packagedNode = () => {
  try {
    const folder = dirname(nodeModule.createRequire(import.meta.url).resolve("node/package.json"))
    return [join(folder, "bin", "node"), join(folder, "bin", "node.exe")].find((path) => existsSync(path))
  } catch {
    return undefined
  }
}

if (isNewEnough) {
  const here = dirname(fileURLToPath(import.meta.url))
  const entry = servesAgentCalls ? join("agent-calls", "main") : "main"
  const source = join(here, "..", "src", `${entry}.ts`)
  const built = join(here, "..", "dist", `${entry}.js`)
  const isSource = existsSync(source)
  const cache = isSource ? undefined : compileCache()
  if (cache !== undefined) nodeModule.enableCompileCache(cache)
  const { main } = await import(isSource ? source : built)
  await main()
} else {
  const node = packagedNode()
  if (node === undefined) {
    process.stderr.write(
      `Error [usage-invalid]: Steno needs Node ${required.major}.${required.minor} or newer; this is ${process.versions.node}, and the packaged Node is missing.\n` +
        `Remediation: install a newer Node, or reinstall Steno with install scripts allowed for the package "node".\n`
    )
    process.exitCode = 64
  } else {
    const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" })
    const forwarded = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]
    for (const signal of forwarded) process.on(signal, () => child.kill(signal))
    child.on("error", (error) => {
      process.stderr.write(`Error [internal]: the packaged Node did not start: ${error.message}\n`)
      process.exitCode = 1
    })
    child.on("exit", (code, signal) => {
      if (signal === null) {
        process.exitCode = code ?? 1
        return
      }
      for (const name of forwarded) process.removeAllListeners(name)
      process.kill(process.pid, signal)
    })
  }
}
