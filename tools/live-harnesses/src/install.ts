/**
 * Installs the pinned programs into this folder and says which versions are there.
 *
 * Usage: `npm run install:live`. Prints one line per program; exits 1 where one says another version than the pinned one.
 * Limits: about 1.2 GB, from the package registry alone; the workspace's own `npm ci` does nothing of this.
 */
import { spawnSync } from "node:child_process"
import { foundVersion, harnessPrograms, pinnedVersion, programsFolder } from "./harness-program.ts"
import { makeScratch } from "./scratch.ts"

/** Not `npm ci`: it refuses a lockfile without the packages of platforms that the registry did not have when it was written. */
const { status } = spawnSync("npm", ["install", "--no-save", "--no-audit", "--no-fund"], { cwd: programsFolder, stdio: "inherit" })
if (status !== 0) process.exit(1)
const scratch = makeScratch(programsFolder)
try {
  for (const program of harnessPrograms) {
    const [found, pinned] = [foundVersion(program, scratch.environment), pinnedVersion(program)]
    process.stdout.write(`${program.id} ${found}${found === pinned ? "" : `, not the pinned ${pinned}`}\n`)
    if (found !== pinned) process.exitCode = 1
  }
} finally {
  scratch.remove()
}
