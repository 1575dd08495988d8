/**
 * The native session of a prepared agent.
 *
 * Owns: the handshake, opening and loading the session, its options, to which Turn an update or request goes.
 * Never owns: a Turn's course (acp-turn), the pipes (acp-program).
 * Ordering: updates go to a Turn from its prompt until the prompt's answer is read; what a load replays goes to nobody.
 */
import { harnessLimits } from "@steno/contracts"
import { type Diagnostics, type ModelChoice, type PrepareOptions, turnFailure, type TurnFailure } from "@steno/harness-seam"
import { Effect, type Option } from "effect"
import { type AcpMessage, errorCodes, type NativeAnswer, type NativeError } from "./acp-message.ts"
import { AcpPeer } from "./acp-peer.ts"
import { type JsonRecord, recordOf, recordsOf, textOf, wordsOf } from "./lenient-value.ts"
import { changesFor, choiceOf, noOptions, type OptionChange, readOptions, type SessionOptions } from "./session-options.ts"

type AcpRequest = Extract<AcpMessage, { readonly kind: "request" }>

/** The Turn that updates and requests of the session go to. */
export interface SessionListener {
  readonly update: (update: JsonRecord) => void
  readonly request: (request: AcpRequest) => void
  readonly withdrawn: (requestId: unknown) => void
  readonly choice: (choice: ModelChoice) => void
}

export interface AgentFacts {
  readonly version: string | undefined
  readonly protocolVersion: unknown
  readonly loads: boolean
}

export interface SessionSetup {
  readonly write: (line: string) => void
  readonly diagnostics: Diagnostics
  readonly options: PrepareOptions
  readonly offered: { readonly files: boolean; readonly terminals: boolean }
}

/** Opening a session may start the servers that a person has configured; setting a model may ask it something. */
const answerMs = 60_000

/** An agent that stays silent is as good as one that refuses, with these words. */
const inTime = (message: string, asked: Effect.Effect<NativeAnswer>): Effect.Effect<NativeAnswer> =>
  Effect.map(Effect.timeoutOption(asked, answerMs), (answer): NativeAnswer =>
    answer._tag === "Some" ? answer.value : { kind: "error", error: { code: errorCodes.internal, message } })

export const agentCallServerName = "steno"

const serversOf = ({ agentCallServer }: PrepareOptions): ReadonlyArray<JsonRecord> =>
  agentCallServer === undefined ? [] : [{
    name: agentCallServerName,
    command: agentCallServer.command,
    args: agentCallServer.arguments,
    env: Object.entries(agentCallServer.environment).map(([name, value]) => ({ name, value }))
  }]

export class AcpSession {
  /** Native ids of the calls of its Turns that are over. */
  readonly pastCalls = new Set<string>()
  readonly #setup: SessionSetup
  readonly #peer: AcpPeer
  #listener: SessionListener | undefined
  #options: SessionOptions = noOptions
  #sessionId: string | undefined
  #agent: AgentFacts = { version: undefined, protocolVersion: undefined, loads: false }
  #commandWords: ReadonlyArray<string> | undefined

  constructor(setup: SessionSetup) {
    this.#setup = setup
    this.#peer = new AcpPeer(setup.write, {
      request: (request) => this.#request(request),
      notification: (notification) => this.#notification(notification),
      odd: (code, text) => setup.diagnostics.note(code, text)
    })
  }

  get peer(): AcpPeer {
    return this.#peer
  }

  get agent(): AgentFacts {
    return this.#agent
  }

  get coordinate(): string | undefined {
    return this.#sessionId
  }

  get choice(): ModelChoice | undefined {
    return choiceOf(this.#options)
  }

  get offersModels(): boolean {
    return this.#options.model !== undefined
  }

  get commandWords(): ReadonlyArray<string> | undefined {
    return this.#commandWords
  }

  /** A message of the program, while it is read. */
  take(message: unknown): void {
    this.#peer.take(message)
  }

  listen(listener: SessionListener): void {
    this.#listener = listener
  }

  unlisten(): void {
    this.#listener = undefined
  }

  /** The answer, or none in time. */
  readonly initialize: Effect.Effect<Option.Option<NativeAnswer>> = Effect.suspend(() => {
    const { files, terminals } = this.#setup.offered
    return this.#peer.request("initialize", {
      protocolVersion: 1,
      clientCapabilities: { fs: { readTextFile: files, writeTextFile: files }, terminal: terminals },
      clientInfo: { name: "steno", title: "Steno", version: "1" }
    }).pipe(
      Effect.tap((answer) => Effect.sync(() => this.#know(answer))),
      Effect.timeoutOption(harnessLimits.probeMs)
    )
  })

  /** A new session. Undefined: it was opened; else why not. */
  readonly open: Effect.Effect<NativeError | undefined> = Effect.suspend(() =>
    Effect.map(this.#ask("session/new", {}), (answer) => {
      if (answer.kind === "error") return answer.error
      const sessionId = wordsOf(answer.result.sessionId)
      if (sessionId === undefined) return { code: errorCodes.internal, message: "A new session without an id" }
      this.#opened(sessionId, answer.result)
      return undefined
    })
  )

  /** The session of `coordinate`, where it is not the one that is open. Never another one. */
  readonly load = (coordinate: string): Effect.Effect<TurnFailure | undefined> =>
    Effect.suspend(() => {
      if (coordinate === this.#sessionId) return Effect.succeed(undefined)
      if (!this.#agent.loads) return Effect.succeed(turnFailure("native", "The agent cannot load a session"))
      return Effect.map(this.#ask("session/load", { sessionId: coordinate }), (answer) => {
        if (answer.kind === "error") return turnFailure("native", answer.error.message)
        this.#opened(coordinate, answer.result)
        return undefined
      })
    })

  /** Sets the model, where it is not the one that is set. Undefined: it is set; else why not. */
  readonly choose = (choice: ModelChoice): Effect.Effect<TurnFailure | undefined> =>
    Effect.gen({ self: this }, function*() {
      const changes = changesFor(this.#options, choice)
      if (changes === undefined) return turnFailure("native", "The agent does not offer this model or effort")
      for (const change of changes) {
        const answer = yield* inTime("The agent set no model in time", this.#set(change))
        if (answer.kind === "error") return turnFailure("native", answer.error.message)
      }
      return undefined
    })

  /** `answered` is called while the answer is read. */
  prompt(input: string, answered: (answer: NativeAnswer) => void): void {
    this.#peer.ask("session/prompt", { sessionId: this.#sessionId, prompt: [{ type: "text", text: input }] }, answered)
  }

  cancel(): void {
    this.#peer.tell("session/cancel", { sessionId: this.#sessionId })
  }

  #know(answer: NativeAnswer): void {
    if (answer.kind === "error") return
    const { agentCapabilities, agentInfo, protocolVersion } = answer.result
    const info = recordOf(agentInfo)
    this.#agent = {
      version: wordsOf(info.version),
      protocolVersion,
      loads: recordOf(agentCapabilities).loadSession === true
    }
  }

  #ask(method: string, params: JsonRecord): Effect.Effect<NativeAnswer> {
    const { options } = this.#setup
    const asked = this.#peer.request(method, { ...params, cwd: options.workspace, mcpServers: serversOf(options) })
    return inTime("The agent opened no session in time", asked)
  }

  /** What was set is known also where nobody waits for the answer any more. */
  #set(change: OptionChange): Effect.Effect<NativeAnswer> {
    return Effect.callback<NativeAnswer>((resume) => {
      this.#peer.ask("session/set_config_option", { sessionId: this.#sessionId, ...change }, (answer) => {
        if (answer.kind === "result") this.#setOptions(answer.result.configOptions)
        resume(Effect.succeed(answer))
      })
    })
  }

  #opened(sessionId: string, result: JsonRecord): void {
    this.#sessionId = sessionId
    this.#options = noOptions
    this.#setOptions(result.configOptions)
  }

  #setOptions(configOptions: unknown): void {
    if (!Array.isArray(configOptions)) return
    const before = this.choice
    this.#options = readOptions(configOptions)
    const { choice } = this
    if (choice !== undefined && (choice.model !== before?.model || choice.effort !== before.effort)) {
      this.#listener?.choice(choice)
    }
  }

  #isOurs(params: JsonRecord): boolean {
    return params.sessionId === this.#sessionId && this.#sessionId !== undefined
  }

  #request(request: AcpRequest): void {
    if (this.#listener !== undefined && this.#isOurs(request.params)) return this.#listener.request(request)
    this.#setup.diagnostics.note("request-outside", "A request outside a Turn or of another session")
    if (request.method === "session/request_permission") {
      return this.#peer.answer(request.id, { outcome: { outcome: "cancelled" } })
    }
    this.#peer.refuse(request.id, { code: errorCodes.methodNotFound, message: `Not now: ${request.method}` })
  }

  #notification({ method, params }: Extract<AcpMessage, { readonly kind: "notification" }>): void {
    const { diagnostics } = this.#setup
    if (method === "$/cancel_request") return this.#listener?.withdrawn(params.requestId)
    if (method !== "session/update") return diagnostics.note("unknown-notification", "A notification of an unknown method")
    if (!this.#isOurs(params)) {
      if (this.#sessionId !== undefined) diagnostics.note("foreign-session", "An update of another session")
      return
    }
    const update = recordOf(params.update)
    if (update.sessionUpdate === "config_option_update") this.#setOptions(update.configOptions)
    if (update.sessionUpdate === "available_commands_update") {
      this.#commandWords = recordsOf(update.availableCommands).flatMap(({ name }) => textOf(name) ?? [])
      return
    }
    if (this.#listener === undefined) return diagnostics.note("update-outside-turn", "An update outside a Turn")
    this.#listener.update(update)
  }
}
