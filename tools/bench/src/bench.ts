/** Prints every benchmark in one run. Usage: `npm run bench [-- call settle ending capture startup list projection hosted outside]`. */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { benchCall } from "./call.ts"
import { benchCapture } from "./capture.ts"
import { benchEnding } from "./ending.ts"
import { benchHosted } from "./hosted.ts"
import { benchList } from "./list.ts"
import { benchProjection } from "./projection.ts"
import { benchSettle } from "./settle.ts"
import { benchStartup } from "./startup.ts"

/** Lies with the programs it needs, which `npm ci` installs none of. */
const overhead = fileURLToPath(new URL("../../live-harnesses/src/overhead.ts", import.meta.url))

const benchmarks: Readonly<Record<string, () => void | Promise<void>>> = {
  call: () => Effect.runPromise(benchCall),
  settle: () => Effect.runPromise(benchSettle),
  ending: () => Effect.runPromise(benchEnding),
  capture: benchCapture,
  startup: benchStartup,
  list: () => Effect.runPromise(benchList),
  projection: benchProjection,
  hosted: benchHosted,
  outside: () => void execFileSync(process.execPath, [overhead], { stdio: "inherit" })
}

const wanted = process.argv.slice(2)
for (const name of wanted.length > 0 ? wanted : Object.keys(benchmarks)) {
  const benchmark = benchmarks[name]
  if (benchmark === undefined) {
    process.stderr.write(`There is no benchmark "${name}"; there are: ${Object.keys(benchmarks).join(", ")}\n`)
    process.exitCode = 64
  } else await benchmark()
}
