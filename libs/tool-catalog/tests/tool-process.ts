/** A process of its own that runs calls: its argument is the folder, standard input a JSON list of [tool, arguments]; prints the answers. */
import { Effect } from "effect"
import { readFileSync } from "node:fs"
import { catalogToolsLayer } from "../src/testing.ts"
import { runTool } from "./tool-run.ts"

const folder = process.argv[2] ?? ""

const answers = Effect.forEach(JSON.parse(readFileSync(0, "utf8")) as ReadonlyArray<readonly [string, object]>, ([tool, sent]) => runTool(tool, sent, folder))

process.stdout.write(JSON.stringify(await Effect.runPromise(Effect.provide(answers, catalogToolsLayer))))
