/**
 * The folders that one recording happens in, and nothing of the person's own.
 *
 * Owns: making and removing them, the environment that a program gets.
 * Limits: the network is closed by proxies that nobody answers on; the loopback is open.
 */
import { rgPath } from "@vscode/ripgrep"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { hostname, tmpdir, userInfo } from "node:os"
import { dirname, join } from "node:path"
import type { Redaction } from "./redaction.ts"

export interface Scratch {
  readonly home: string
  readonly workspace: string
  readonly temporary: string
  readonly environment: Readonly<Record<string, string>>
  readonly redactions: ReadonlyArray<Redaction>
  readonly write: (folder: string, name: string, text: string) => void
  readonly remove: () => void
}

/** Nobody listens there. */
const closedProxy = "http://127.0.0.1:9"

export const makeScratch = (programsFolder: string): Scratch => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "steno-recording-")))
  const [home, workspace, temporary] = ["home", "workspace", "temporary"].map((name) => join(root, name)) as [string, string, string]
  for (const folder of [home, workspace, temporary]) mkdirSync(folder)
  const [nodeFolder, ripgrepFolder] = [dirname(process.execPath), dirname(rgPath)]
  return {
    home,
    workspace,
    temporary,
    environment: {
      HOME: home,
      PATH: `${nodeFolder}:${ripgrepFolder}:/usr/local/bin:/usr/bin:/bin`,
      SHELL: "/bin/bash",
      LANG: "C.UTF-8",
      TMPDIR: temporary,
      XDG_CONFIG_HOME: join(home, ".config"),
      XDG_DATA_HOME: join(home, ".local/share"),
      XDG_STATE_HOME: join(home, ".local/state"),
      XDG_CACHE_HOME: join(home, ".cache"),
      HTTP_PROXY: closedProxy,
      HTTPS_PROXY: closedProxy,
      NO_PROXY: "127.0.0.1,localhost"
    },
    redactions: [
      { value: home, placeholder: "/recorded/home", meaning: "the home of the recording" },
      { value: workspace, placeholder: "/recorded/workspace", meaning: "the Workspace of the recording" },
      { value: temporary, placeholder: "/recorded/temporary", meaning: "the folder of temporary files" },
      { value: programsFolder, placeholder: "/recorded/programs", meaning: "the folder of the installed programs" },
      { value: nodeFolder, placeholder: "/recorded/node", meaning: "the folder of Node" },
      { value: ripgrepFolder, placeholder: "/recorded/ripgrep", meaning: "the folder of ripgrep, which opencode would download" },
      ...(hostname().length > 3 ? [{ value: hostname(), placeholder: "recorded-host", meaning: "the name of the machine" }] : []),
      ...(userInfo().username === "root" ? [] : [{ value: userInfo().username, placeholder: "recorded-user", meaning: "the name of the person" }])
    ],
    write: (folder, name, text) => {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), text)
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  }
}
