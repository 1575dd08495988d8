/**
 * The conversation with one running `codex app-server`.
 *
 * Owns: ids of requests and their answers, who hears what the program says, the end of the connection and its reason.
 * Never owns: what a message means, when the program is ended.
 * Ordering: messages are heard in the order of their lines; `ended` comes behind the last of them.
 * Limits: `protocolLineLimits`. What was read is heard before more is read: nothing piles up here. After a fault nothing is
 * heard any more, but the pipe is drained.
 */
import { harnessLimits, protocolLineLimits } from "@steno/contracts"
import { type Diagnostics, type TurnFailure, turnFailure } from "@steno/harness-seam"
import { type JsonLine, type JsonLineFault, JsonLineReader, type RunningProgram, type ShellExit } from "@steno/process-host"
import { Deferred, Effect } from "effect"
import { codexFrame, type CodexFrame, type CodexNotification, type RequestId } from "./codex-frame.ts"

export type ConnectionEnd =
  | { readonly kind: "exited"; readonly exit: ShellExit }
  /** It says nothing more and lives. */
  | { readonly kind: "closed" }
  | { readonly kind: "fault"; readonly reason: JsonLineFault; readonly explanation: string }

export type CodexAnswer =
  | { readonly kind: "answer"; readonly result: unknown }
  | { readonly kind: "refusal"; readonly code: number; readonly message: string }
  | { readonly kind: "ended"; readonly end: ConnectionEnd }

export type CodexAsked = Extract<CodexFrame, { readonly kind: "request" }>

/** What comes next is heard when `asked` has resolved. */
export interface CodexListener {
  readonly notified: (notification: CodexNotification) => void
  readonly asked: (request: CodexAsked) => Effect.Effect<void>
}

const methodNotFound = -32_601
/** After the exit a child may hold the pipes open: what it says is not waited for longer. */
const drainMs = 500

/** One for all: V8 keeps a function that is written where a property is set, with all it can see, until its next full collection. */
const unheard = (): void => undefined

export class CodexConnection {
  readonly program: RunningProgram
  readonly #diagnostics: Diagnostics
  readonly #waiting = new Map<RequestId, (answer: CodexAnswer) => void>()
  readonly #ended = Deferred.makeUnsafe<ConnectionEnd>()
  readonly #drained = Deferred.makeUnsafe<void>()
  readonly #exited = Deferred.makeUnsafe<ShellExit>()
  readonly #lines = new JsonLineReader()
  #stderr = ""
  #look: () => void = unheard
  #last: ConnectionEnd | undefined
  #listener: CodexListener
  #nextId = 1

  private constructor(program: RunningProgram, diagnostics: Diagnostics) {
    this.program = program
    this.#diagnostics = diagnostics
    this.#listener = {
      notified: () => undefined,
      asked: ({ id, method }) => Effect.sync(() => this.refuse(id, method))
    }
    for (const event of ["readable", "end", "close"]) program.stdout.on(event, () => this.#look())
    program.stderr.setEncoding("utf8")
    program.stderr.on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-protocolLineLimits.stderrTailBytes)
    })
    let open = 2
    for (const pipe of [program.stdout, program.stderr]) {
      pipe.once("close", () => {
        open -= 1
        if (open === 0) Deferred.doneUnsafe(this.#drained, Effect.void)
      })
    }
  }

  /** Until `listen` names somebody, notifications are heard by nobody and requests refused. */
  static readonly over = (program: RunningProgram, diagnostics: Diagnostics): Effect.Effect<CodexConnection> =>
    Effect.gen(function*() {
      const connection = new CodexConnection(program, diagnostics)
      yield* Effect.forkDetach(connection.#watchExit, { startImmediately: true })
      yield* Effect.forkDetach(connection.#pump, { startImmediately: true })
      return connection
    })

  /** Resolves when the program is gone, or no longer speaks the protocol. */
  readonly ended: Effect.Effect<ConnectionEnd> = Effect.suspend(() => Deferred.await(this.#ended))

  /** The end, once it has come. */
  get end(): ConnectionEnd | undefined {
    return this.#last
  }

  get stderrTail(): string | undefined {
    return this.#stderr === "" ? undefined : this.#stderr.toWellFormed()
  }

  /** The listener hears everything from the next message on. */
  listen(listener: CodexListener): void {
    this.#listener = listener
  }

  /** Resolves with the program's answer, or with the end of the connection. Interrupting it forgets the answer. */
  readonly request = (method: string, params: unknown): Effect.Effect<CodexAnswer> =>
    Effect.callback<CodexAnswer>((resume) => {
      if (this.#last !== undefined) {
        resume(Effect.succeed({ kind: "ended", end: this.#last }))
        return
      }
      const id = this.#nextId++
      this.#waiting.set(id, (answer) => resume(Effect.succeed(answer)))
      this.#write({ id, method, params })
      return Effect.sync(() => {
        this.#waiting.set(id, () => undefined)
      })
    })

  /** The program reads the end of its stdin behind what was written. Idempotent. */
  readonly closeInput: Effect.Effect<void> = Effect.sync(() => {
    this.program.stdin.end()
  })

  notify(method: string, params: unknown): void {
    this.#write({ method, params })
  }

  answer(id: RequestId, result: unknown): void {
    this.#write({ id, result })
  }

  /** To a request that nobody knows. */
  refuse(id: RequestId, method: string): void {
    this.#diagnostics.note("unknown-request", method)
    this.#write({ id, error: { code: methodNotFound, message: "Method not found" } })
  }

  get #watchExit(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      const exit = yield* this.program.exited
      yield* Effect.timeoutOption(Deferred.await(this.#drained), drainMs)
      yield* Deferred.succeed(this.#exited, exit)
      this.program.stdout.destroy()
    })
  }

  get #pump(): Effect.Effect<void> {
    return Effect.gen({ self: this }, function*() {
      for (;;) {
        const bytes = yield* this.#bytes
        for (const line of bytes === undefined ? this.#lines.end() : this.#lines.push(bytes)) {
          if (line.kind === "fault") {
            this.#drain()
            return this.#finish({ kind: "fault", reason: line.reason, explanation: line.explanation })
          }
          const asked = this.#hear(line)
          if (asked !== undefined) yield* this.#listener.asked(asked)
        }
        if (bytes === undefined) break
        /** Between two reads what was told is written. */
        yield* Effect.yieldNow
      }
      const exit = yield* Effect.timeoutOption(Deferred.await(this.#exited), harnessLimits.exitSettleMs)
      this.#finish(exit._tag === "Some" ? { kind: "exited", exit: exit.value } : { kind: "closed" })
    })
  }

  /** What there is of stdout, once there is something; undefined at its end. */
  get #bytes(): Effect.Effect<Uint8Array | undefined> {
    return Effect.callback((resume) => {
      const { stdout } = this.program
      const look = () => {
        const bytes = stdout.read() as Uint8Array | null
        if (bytes === null && !stdout.readableEnded && !stdout.destroyed) return
        this.#look = unheard
        resume(Effect.succeed(bytes ?? undefined))
      }
      this.#look = look
      look()
    })
  }

  /** `resume` does nothing to a stream whose `readable` is listened to. */
  #drain(): void {
    this.#look = () => {
      while (this.program.stdout.read() !== null);
    }
    this.#look()
  }

  #write(message: object): void {
    this.program.stdin.write(`${JSON.stringify(message)}\n`)
  }

  /** A request is heard by whoever gets it. */
  #hear(line: Exclude<JsonLine, { readonly kind: "fault" }>): CodexAsked | undefined {
    if (line.kind === "preamble") {
      this.#diagnostics.note("preamble", "Text before the first message")
      return undefined
    }
    if (line.replaced === true) this.#diagnostics.note("invalid-utf8", "Bytes of a line were not UTF-8")
    const frame = codexFrame(line.value)
    if (frame.kind === "request") return frame
    this.#take(frame)
    return undefined
  }

  #take(frame: Exclude<CodexFrame, { readonly kind: "request" }>): void {
    if (frame.kind === "notification") return this.#listener.notified(frame)
    if (frame.kind === "unreadable") {
      return this.#diagnostics.note("unreadable-message", "A line is no message of the protocol")
    }
    const waiting = this.#waiting.get(frame.id)
    this.#waiting.delete(frame.id)
    if (waiting === undefined) this.#diagnostics.note("unknown-answer", "An answer to nothing that was asked")
    else waiting(frame)
  }

  #finish(end: ConnectionEnd): void {
    this.#last = end
    Deferred.doneUnsafe(this.#ended, Effect.succeed(end))
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const answer of waiting) answer({ kind: "ended", end })
  }
}

export const endWords = (end: ConnectionEnd): string => {
  if (end.kind === "fault") return end.explanation
  if (end.kind === "closed") return "Codex closed its output"
  return end.exit.kind === "exited" ? `Codex exited with ${end.exit.code}` : `Codex was ended by ${end.exit.signal}`
}

export const endFailure = (end: ConnectionEnd): TurnFailure => {
  const words = endWords(end)
  if (end.kind === "exited") return turnFailure("process-exited", words)
  return turnFailure(end.kind === "fault" && end.reason === "line-too-long" ? "line-too-long" : "protocol", words)
}
