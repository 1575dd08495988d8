/**
 * Finds the program of an outside agent.
 *
 * Owns: when two findings are the same program; what a person does who has none.
 * Never owns: where it is looked for (process-host), what the program is good for (its adapter).
 * Limits: nothing is started. A launcher that was installed by a package manager is told apart by its `package.json`, too: an
 * update may leave the launcher itself as it was. So is one that is an interpreter by the words behind it, and the files they name.
 */
import { HarnessNotExecutable, HarnessNotFound, PrepareError } from "@steno/harness-seam"
import type { ProcessHost, ProgramLocation } from "@steno/process-host"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { AgentCommand } from "./agent-place.ts"
import type { Variables } from "./person-environment.ts"

export interface FoundProgram {
  /** Absolute, as it is started. */
  readonly path: string
  /** The same exactly as long as the program is. */
  readonly identity: string
}

export interface ProgramToFind {
  /** The program is a name that is looked up in PATH, or a path; a relative one begins at the workspace, as do its words. */
  readonly command: AgentCommand
  /** What a person does who has none. */
  readonly install: string
}

/** Undefined where it names no file, or none that may be looked at. */
const stampOfFile = (path: string): string | undefined => {
  try {
    const found = statSync(path)
    return found.isFile() ? `${path} ${found.size} ${found.mtimeMs}` : undefined
  } catch {
    return undefined
  }
}

/** Of the nearest one above a launcher. */
const packageStamp = (path: string): ReadonlyArray<string> => {
  for (let folder = dirname(path);; folder = dirname(folder)) {
    const stamp = stampOfFile(join(folder, "package.json"))
    if (stamp !== undefined) return [stamp]
    if (dirname(folder) === folder) return []
  }
}

/** Without the words themselves, which may be a secret. */
const wordsStamp = (words: ReadonlyArray<string>, workspace: string): ReadonlyArray<string> => {
  if (words.length === 0) return []
  const stamps = words.map((word) => [word, stampOfFile(resolve(workspace, word)) ?? ""])
  return [createHash("sha256").update(JSON.stringify(stamps)).digest("hex")]
}

const identityOf = ({ changedMs, realPath, sizeBytes }: ProgramLocation, words: ReadonlyArray<string>, workspace: string): string =>
  [`${realPath} ${sizeBytes} ${changedMs}`, ...packageStamp(realPath), ...wordsStamp(words, workspace)].join("\n")

const fail = (reason: PrepareError["reason"]) => Effect.fail(new PrepareError({ reason }))

export const findProgram = Effect.fn("findProgram")(function*(
  processHost: Pick<ProcessHost["Service"], "locate">,
  { command: [program, ...words], install }: ProgramToFind,
  environment: Variables,
  workspace: string
): Effect.fn.Return<FoundProgram, PrepareError> {
  const found = yield* processHost.locate(program, { cwd: workspace, environment })
  switch (found.kind) {
    case "found":
      return { path: found.path, identity: identityOf(found, words, workspace) }
    case "not-executable":
      return yield* fail(new HarnessNotExecutable({
        explanation: `${found.path} cannot be run: ${found.code}`,
        remedy: "Make it an executable file, or name another program in the configuration."
      }))
    case "not-found":
      return yield* fail(new HarnessNotFound({
        explanation: program.includes("/") ? `There is no program ${program}` : `There is no program ${program} in PATH`,
        remedy: install
      }))
  }
})
