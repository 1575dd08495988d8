/**
 * The programs: where they are, which version stands there, how each is made to speak to the scripted model only.
 *
 * Owns: their configuration in a recording's home.
 * Never owns: their protocols (the clients), the scenarios.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Scratch } from "./scratch.ts"

export const programsFolder = fileURLToPath(new URL("../", import.meta.url)).replace(/\/$/, "")

export interface HarnessProgram {
  readonly id: "claude-code" | "codex" | "opencode"
  readonly packageName: string
  /** In `node_modules/.bin`. */
  readonly executable: string
  readonly protocol: string
  /** What its environment holds besides that of the recording; writes its files of configuration. */
  readonly configure: (scratch: Scratch, modelUrl: string) => Readonly<Record<string, string>>
  /** Takes the vendor's own texts out of a line, which nobody needs and which make it long. */
  readonly leaveOut: (line: string) => string
  readonly leftOut: Readonly<Record<string, string>>
}

const leftOutText = "(left out)"
const stringOf = (key: string): RegExp => new RegExp(`"${key}":"(?:[^"\\\\]|\\\\.)*"`, "g")
const withoutStrings = (line: string, keys: ReadonlyArray<string>): string =>
  keys.reduce((shorter, key) => shorter.replaceAll(stringOf(key), `"${key}":"${leftOutText}"`), line)

const codexConfiguration = (modelUrl: string): string => `model = "gpt-5.5"
model_provider = "scripted"
approval_policy = "on-request"
sandbox_mode = "danger-full-access"
model_reasoning_summary = "auto"
check_for_update_on_startup = false

[model_providers.scripted]
name = "Scripted model"
base_url = "${modelUrl}/v1"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[analytics]
enabled = false

[otel]
exporter = "none"
`

const opencodeConfiguration = (modelUrl: string): string => `${
  JSON.stringify({
    $schema: "https://opencode.ai/config.json",
    autoupdate: false,
    share: "disabled",
    enabled_providers: ["scripted"],
    model: "scripted/scripted-model",
    small_model: "scripted/scripted-model",
    permission: { bash: "ask", edit: "ask", webfetch: "deny" },
    provider: {
      scripted: {
        npm: "@ai-sdk/openai-compatible",
        name: "Scripted model",
        options: { baseURL: `${modelUrl}/v1`, apiKey: "recorded-key" },
        models: Object.fromEntries(["scripted-model", "other-model"].map((name) => [name, { name, tool_call: true, reasoning: true, limit: { context: 100_000, output: 10_000 } }]))
      }
    }
  }, null, 2)
}\n`

export const harnessPrograms: ReadonlyArray<HarnessProgram> = [
  {
    id: "claude-code",
    packageName: "@anthropic-ai/claude-code",
    executable: "claude",
    protocol: "stream-json",
    configure: (_, modelUrl) => ({
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: "recorded-key",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1"
    }),
    leaveOut: (line) => line.startsWith('{"type":"control_response"') && line.includes('"commands":[') ? withoutStrings(line, ["description", "argumentHint"]) : line,
    leftOut: { [leftOutText]: "the vendor's descriptions of commands, agents and models in the answer to initialize" }
  },
  {
    id: "codex",
    packageName: "@openai/codex",
    executable: "codex",
    protocol: "app-server",
    configure: (scratch, modelUrl) => {
      scratch.write(scratch.home, ".codex/config.toml", codexConfiguration(modelUrl))
      return {}
    },
    leaveOut: (line) =>
      line.includes('"remoteControl/status/changed"')
        ? withoutStrings(line, ["serverName", "installationId"])
        : withoutStrings(line, ["developer_instructions"]),
    leftOut: { [leftOutText]: "the name of the machine and the id of the installation in remoteControl/status/changed; the vendor's developer_instructions" }
  },
  {
    id: "opencode",
    packageName: "opencode-ai",
    executable: "opencode",
    protocol: "acp",
    configure: (scratch, modelUrl) => {
      scratch.write(scratch.home, ".config/opencode/opencode.json", opencodeConfiguration(modelUrl))
      return { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" }
    },
    leaveOut: (line) => line.replace(/^ *\d+ \| .*$/, leftOutText),
    leftOut: { [leftOutText]: "lines of the program's own source in its stderr" }
  }
]

/** The path of the program's command; throws where it is not installed. */
export const executableOf = ({ executable, packageName }: HarnessProgram): string => {
  const path = join(programsFolder, "node_modules/.bin", executable)
  if (!existsSync(path)) throw new Error(`${packageName} is not installed: npm run install:live`)
  return path
}

/** As pinned in `package.json`. */
export const pinnedVersion = ({ packageName }: HarnessProgram): string => {
  const { dependencies } = JSON.parse(readFileSync(join(programsFolder, "package.json"), "utf8")) as { dependencies: Record<string, string> }
  return dependencies[packageName] ?? "none"
}

/** What the program itself says, e.g. `2.1.332`. */
export const foundVersion = (program: HarnessProgram, environment: Readonly<Record<string, string>>): string => {
  const { error, stdout } = spawnSync(executableOf(program), ["--version"], { env: environment, encoding: "utf8", timeout: 60_000 })
  if (error !== undefined) throw error
  return /\d+\.\d+\.\d+\S*/.exec(stdout)?.[0] ?? "none"
}
