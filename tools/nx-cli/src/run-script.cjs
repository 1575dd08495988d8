/**
 * Runs one script of the workspace for `nx run`, with the arguments exactly as they were typed.
 *
 * Owns: argument array, working directory and streams between Nx and that script.
 * Never owns: which Node the script needs (the script decides), what its exit code means.
 * Ordering: ends after the script, whatever signal arrives; the script shares the terminal and decides how it ends.
 * Limits: Nx drops every word before the first `--` and turns every non-zero exit code into 1.
 */
"use strict"

const { spawn } = require("node:child_process")
const { join } = require("node:path")

module.exports = async function runScript(options, context) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {})
  const script = spawn(process.execPath, [join(context.root, options.script), ...options.__unparsed__], {
    cwd: context.cwd,
    stdio: "inherit"
  })
  return new Promise((resolve, reject) => {
    script.once("error", reject)
    script.once("close", (code) => resolve({ success: code === 0 }))
  })
}
