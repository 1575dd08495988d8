import { expect, it } from "vitest"
import { toolWords } from "./tool-words.ts"

it.each([
  ["Bash", { command: "ls", description: "List" }, { tool: "command", input: "ls" }],
  ["Read", { file_path: "/a" }, { tool: "read", input: "/a" }],
  ["Write", { file_path: "/a", content: "x" }, { tool: "file-change", input: "/a", files: [{ path: "/a" }] }],
  ["Grep", { pattern: "x+", path: "/a" }, { tool: "search", input: "x+" }],
  ["WebFetch", { url: "http://a", prompt: "p" }, { tool: "web", input: "http://a" }],
  ["Task", { prompt: "Count" }, { tool: "subagent", input: "Count" }],
  ["mcp__greeter__greet", { name: "Ada" }, { tool: "mcp", input: "greeter/greet · {\"name\":\"Ada\"}" }],
  ["mcp__my__server__greet", {}, { tool: "mcp", input: "my/server__greet" }],
  ["Novelty", { a: 1 }, { tool: "other", input: "Novelty · {\"a\":1}" }],
  ["toString", {}, { tool: "other", input: "toString" }],
  ["Bash", { command: 7 }, { tool: "command", input: "Bash · {\"command\":7}" }]
])("%s %j is told by the words it is known by", (name, input, words) => {
  expect(toolWords(name, input)).toEqual(words)
})
