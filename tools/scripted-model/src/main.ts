/**
 * Plays a script file on loopback until it is interrupted.
 *
 * Usage: `npm run scripted-model -- FILE [--port N] [--log FILE]`. FILE may also lie in the tool's own folder
 * (`examples/two-commands.json`). Prints the server's address, then one line per model request.
 */
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { readScript } from "./read-script.ts"
import { start } from "./server.ts"

const usage = "usage: npm run scripted-model -- FILE [--port N] [--log FILE]\n"
const toolFolder = new URL("../", import.meta.url)

const { positionals: [given, ...more], values } = parseArgs({
  allowPositionals: true,
  options: { port: { type: "string" }, log: { type: "string" } }
})
const port = Number(values.port ?? 0)
if (given === undefined || more.length > 0 || !Number.isInteger(port) || port < 0 || port > 65_535) {
  process.stderr.write(usage)
  process.exit(64)
}
const file = existsSync(given) ? given : fileURLToPath(new URL(given, toolFolder))
const server = await Promise.resolve()
  .then(() => start({ script: readScript(file), port, ...(values.log === undefined ? {} : { logFile: values.log }) }))
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  })
process.stdout.write(`${server.url}\n`)
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void server.close().then(() => process.exit(0)))
for (let number = 1;; number += 1) {
  const { conversation, outcome, played, protocol } = await server.received(number)
  process.stdout.write(`${number} ${protocol} ${conversation} ${outcome}: ${played}\n`)
}
