import { expect, it } from "vitest"
import { programWords } from "./program-words.ts"

it.each<readonly [ReadonlyArray<string>, ReadonlyArray<string>]>([
  [["run", "show", "@last"], ["steno"]],
  [["--home", "/my home", "run", "show"], ["steno", "--home", "/my home"]],
  [["run", "show", "--home=/h", "@last"], ["steno", "--home", "/h"]],
  [["run", "send", "@last", "--", "--home", "/text"], ["steno"]],
  [["run", "show", "--home"], ["steno"]],
  [["--home=", "run"], ["steno"]]
])("a command after %j begins with %j", (args, words) => {
  expect(programWords(args)).toEqual(words)
})
