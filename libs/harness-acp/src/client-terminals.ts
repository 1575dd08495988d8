/**
 * The terminals that an agent asks its client for: each is one executed call.
 *
 * Owns: terminals of one Turn by the ids the agent is given, the forms of their answers.
 * Never owns: running and judging commands (the host).
 * Limits: what is kept of an output is what the host keeps; a terminal is forgotten with the Turn or when it is released.
 */
import type { ClientExecution, ExecutionEnd, TurnProducer } from "@steno/harness-seam"
import { Effect } from "effect"
import { ClientFault, refusedExecution } from "./client-fault.ts"
import { countOf, type JsonRecord, recordsOf, textOf, wordsOf } from "./lenient-value.ts"

interface Terminal {
  readonly execution: ClientExecution
  readonly limitBytes: number
  end: ExecutionEnd | undefined
}

const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

/** Without arguments the command is a line for the shell; with them each word is one. */
export const commandLine = (command: string, words: unknown): string => {
  const texts = Array.isArray(words) ? words.filter((word) => typeof word === "string") : []
  return texts.length === 0 ? command : [command, ...texts].map(quoted).join(" ")
}

const variablesOf = (env: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(recordsOf(env).flatMap(({ name, value }): ReadonlyArray<readonly [string, string]> => {
    const [named, set] = [wordsOf(name), textOf(value)]
    return named === undefined || set === undefined ? [] : [[named, set]]
  }))

/** The last bytes of a text that begin with a whole character. */
export const lastBytes = (text: string, limitBytes: number): { readonly output: string; readonly truncated: boolean } => {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length <= limitBytes) return { output: text, truncated: false }
  let from = bytes.length - limitBytes
  while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++
  return { output: new TextDecoder().decode(bytes.subarray(from)), truncated: true }
}

const statusOf = ({ exitCode, signal }: ExecutionEnd): JsonRecord => ({ exitCode: exitCode ?? null, signal: signal ?? null })

export class ClientTerminals {
  readonly #turn: TurnProducer
  readonly #terminals = new Map<string, Terminal>()
  /** Also those that were released: a call may show one later. */
  readonly #given = new Set<string>()

  constructor(turn: TurnProducer) {
    this.#turn = turn
  }

  isOurs(terminalId: string): boolean {
    return this.#given.has(terminalId)
  }

  readonly create = (params: JsonRecord): Effect.Effect<JsonRecord, ClientFault> =>
    Effect.suspend(() => {
      const command = wordsOf(params.command)
      if (command === undefined) return Effect.fail(new ClientFault("invalid-params", "A terminal needs a command"))
      const [cwd, env] = [wordsOf(params.cwd), variablesOf(params.env)]
      const input = {
        command: commandLine(command, params.args),
        ...(cwd === undefined ? {} : { cwd }),
        ...(Object.keys(env).length === 0 ? {} : { env })
      }
      return Effect.flatMap(this.#turn.execute("bash", input), (answer) => {
        if (answer.kind !== "started") return Effect.fail(refusedExecution(answer))
        const terminalId = `terminal-${this.#given.size + 1}`
        const limitBytes = countOf(params.outputByteLimit) ?? Number.POSITIVE_INFINITY
        const terminal: Terminal = { execution: answer, limitBytes, end: undefined }
        this.#given.add(terminalId)
        this.#terminals.set(terminalId, terminal)
        const settled = Effect.map(answer.settled, (end) => {
          terminal.end = end
        })
        return Effect.as(Effect.forkDetach(settled, { startImmediately: true }), { terminalId })
      })
    })

  readonly output = (params: JsonRecord): Effect.Effect<JsonRecord, ClientFault> =>
    Effect.map(this.#find(params), ({ end, execution, limitBytes }) => {
      const { dropped, text } = execution.output()
      const { output, truncated } = lastBytes(text, limitBytes)
      return {
        output,
        truncated: truncated || dropped === true,
        ...(end === undefined ? {} : { exitStatus: statusOf(end) })
      }
    })

  readonly waitForExit = (params: JsonRecord): Effect.Effect<JsonRecord, ClientFault> =>
    Effect.flatMap(this.#find(params), ({ execution }) => Effect.map(execution.settled, statusOf))

  readonly kill = (params: JsonRecord): Effect.Effect<JsonRecord, ClientFault> =>
    Effect.flatMap(this.#find(params), ({ execution }) => Effect.as(execution.cancel, {}))

  readonly release = (params: JsonRecord): Effect.Effect<JsonRecord, ClientFault> =>
    Effect.flatMap(this.#find(params), ({ end, execution }) => {
      this.#terminals.delete(textOf(params.terminalId) ?? "")
      return Effect.as(end === undefined ? execution.cancel : Effect.void, {})
    })

  #find(params: JsonRecord): Effect.Effect<Terminal, ClientFault> {
    return Effect.suspend(() => {
      const terminal = this.#terminals.get(textOf(params.terminalId) ?? "")
      return terminal === undefined
        ? Effect.fail(new ClientFault("invalid-params", "No such terminal"))
        : Effect.succeed(terminal)
    })
  }
}
