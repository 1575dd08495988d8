import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { makePlace, plainEnvironment, runOf, steno, workspaceRoot } from "./testing.ts"

const outputOfLastRun = (place: ReturnType<typeof makePlace>) => {
  const run = runOf(steno({ ...place, workspace: workspaceRoot }, ["run", "show", "@last", "--json"]).stdout)
  return readFileSync(run.calls[0]?.output?.path ?? "", "utf8")
}

const probe = "node -v; command -v node; printf '%s\\n' \"$PATH\"; env | grep -cE '^(npm_|NX_|INIT_CWD=|FORCE_COLOR=)'; pwd"

describe("a command inside a Run sees the caller's environment", () => {
  it.each([
    ["npx steno", "npx", ["steno", "run", "start", "--", probe]],
    ["npx nx run cli", "npx", ["nx", "run", "cli", "--", "run", "start", "--", probe]]
  ])("through %s: node, PATH, folder, and no variable of npm or Nx", (_, program, args) => {
    const place = makePlace()
    const options = { cwd: workspaceRoot, env: plainEnvironment({ STENO_HOME: place.home }), encoding: "utf8" } as const
    spawnSync(program, args, options)
    expect(outputOfLastRun(place)).toBe(spawnSync("bash", ["-c", probe], options).stdout)
  })
})
