/**
 * Runs one script of the workspace for `nx run`, with the arguments exactly as they were typed.
 *
 * Owns: argument array, working directory and streams between Nx and that script.
 * Never owns: which Node the script needs (the script decides), what its exit code means.
 * Ordering: ends after the script, whatever signal arrives; the script shares the terminal and decides how it ends.
 * Limits: Nx drops every word before the first `--`, turns every non-zero exit code into 1, follows a Ctrl-C with
 * SIGTERM to the script and its children and ends what is left after 5 s.
 */
"use strict"

const { spawn } = require("node:child_process")
const { join, sep } = require("node:path")

/** npx moves up to the nearest package.json and keeps the caller's folder in INIT_CWD, which others may have left stale. */
const callersFolder = (folder, initCwd) =>
  initCwd !== undefined && `${initCwd}${sep}`.startsWith(`${folder}${sep}`) ? initCwd : folder

module.exports = async function runScript(options, context) {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {})
  const script = spawn(process.execPath, [join(context.root, options.script), ...options.__unparsed__], {
    cwd: callersFolder(context.cwd, process.env.INIT_CWD),
    stdio: "inherit"
  })
  return new Promise((resolve, reject) => {
    script.once("error", reject)
    script.once("close", (code) => resolve({ success: code === 0 }))
  })
}
