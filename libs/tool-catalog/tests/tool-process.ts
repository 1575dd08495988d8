/** A process of its own that runs calls: argument 1 is the folder, argument 2 a JSON list of [tool, arguments]; prints the answers. */
import { Effect } from "effect"
import { catalogToolsLayer } from "../src/testing.ts"
import { runTool } from "./tool-run.ts"

const [folder = "", calls = "[]"] = process.argv.slice(2)

const answers = Effect.forEach(JSON.parse(calls) as ReadonlyArray<readonly [string, object]>, ([tool, sent]) => runTool(tool, sent, folder))

process.stdout.write(JSON.stringify(await Effect.runPromise(Effect.provide(answers, catalogToolsLayer))))
