/**
 * One running program: its frames, the control requests of both sides, its end.
 *
 * Owns: framing, which answer belongs to which request, the end of stderr.
 * Never owns: what a frame means (turn-reader), which Turn it is for (claude-session).
 * Ordering: frames come in the order they were read; `ended` resolves after the last of them.
 * Limits: `protocolLineLimits`; stderr keeps its last 64 KiB.
 */
import { processLimits, protocolLineLimits } from "@steno/contracts"
import { type Diagnostics, type TurnFailure, turnFailure } from "@steno/harness-seam"
import { type Ending, type JsonLine, type JsonLineFault, JsonLineReader, type RunningProgram, type ShellExit } from "@steno/process-host"
import { Deferred, Effect } from "effect"
import { type Fields, fieldsAt, isFields, textAt } from "./frame-fields.ts"

export type ControlAnswer =
  | { readonly kind: "answered"; readonly response: Fields }
  | { readonly kind: "refused"; readonly explanation: string }
  /** The program ended before it answered. */
  | { readonly kind: "gone" }

export type ConnectionEnd =
  | { readonly kind: "exited"; readonly exit: ShellExit }
  /** It runs on and says nothing any more. */
  | { readonly kind: "silent" }
  /** It is not read any more. */
  | { readonly kind: "fault"; readonly reason: JsonLineFault; readonly explanation: string }

/** Why a program that ended so takes no Turn any more. */
export const endFailure = (end: ConnectionEnd): TurnFailure => {
  switch (end.kind) {
    case "fault":
      return turnFailure(end.reason === "line-too-long" ? "line-too-long" : "protocol", end.explanation)
    case "silent":
      return turnFailure("protocol", "The program closed its output")
    case "exited":
      return turnFailure(
        "process-exited",
        end.exit.kind === "exited" ? `The program ended with exit code ${end.exit.code}` : `The program was ended by ${end.exit.signal}`
      )
  }
}

export class ClaudeConnection {
  readonly #program: RunningProgram
  readonly #diagnostics: Diagnostics
  readonly #lines = new JsonLineReader()
  readonly #waiting = new Map<string, Deferred.Deferred<ControlAnswer>>()
  readonly #outputEnded = Deferred.makeUnsafe<void>()
  readonly #ended = Deferred.makeUnsafe<ConnectionEnd>()
  #observer: (frame: Fields) => void = () => undefined
  #requests = 0
  #stderr = ""
  #exit: ShellExit | undefined
  #endedAs: ConnectionEnd | undefined

  constructor(program: RunningProgram, diagnostics: Diagnostics) {
    this.#program = program
    this.#diagnostics = diagnostics
    program.stdout.on("data", (bytes: Uint8Array) => this.#take(this.#lines.push(bytes)))
    program.stdout.once("close", () => Deferred.doneUnsafe(this.#outputEnded, Effect.void))
    program.stderr.setEncoding("utf8")
    program.stderr.on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-protocolLineLimits.stderrTailBytes)
    })
  }

  /** Every frame but the answers to `control`. One observer at a time. */
  observe(observer: (frame: Fields) => void): void {
    this.#observer = observer
  }

  readonly ended: Effect.Effect<ConnectionEnd> = Effect.suspend(() => Deferred.await(this.#ended))

  /** How `ended` resolved; undefined while the program is read. */
  get end(): ConnectionEnd | undefined {
    return this.#endedAs
  }

  get exit(): ShellExit | undefined {
    return this.#exit
  }

  get stderrTail(): string {
    return this.#stderr.toWellFormed()
  }

  /** Runs until the program has ended; lets go of pipes that its children hold. */
  readonly watch: Effect.Effect<void> = Effect.gen({ self: this }, function*() {
    const exited = Effect.tap(this.#program.exited, (exit) => Effect.sync(() => {
      this.#exit = exit
    }))
    const outputEnded = Deferred.await(this.#outputEnded)
    yield* Effect.raceFirst(Effect.asVoid(exited), outputEnded)
    yield* Effect.all([exited, outputEnded], { concurrency: "unbounded" }).pipe(
      Effect.timeoutOption(processLimits.pipeHoldMs)
    )
    this.#take(this.#lines.end())
    this.#end(this.#exit === undefined ? { kind: "silent" } : { kind: "exited", exit: this.#exit })
  })

  send(frame: Fields): void {
    if (this.#program.stdin.writable) this.#program.stdin.write(`${JSON.stringify(frame)}\n`)
  }

  /** Sent when this is called; resolves with the program's answer. */
  control(request: Fields): Effect.Effect<ControlAnswer> {
    const requestId = `steno_${++this.#requests}`
    const answer = Deferred.makeUnsafe<ControlAnswer>()
    if (this.#endedAs !== undefined) return Effect.succeed({ kind: "gone" })
    this.#waiting.set(requestId, answer)
    this.send({ type: "control_request", request_id: requestId, request })
    return Deferred.await(answer)
  }

  answer(requestId: string, response: Fields): void {
    this.send({ type: "control_response", response: { subtype: "success", request_id: requestId, response } })
  }

  /** The protocol's form of an error, which also stands for a request that expired. */
  refuse(requestId: string, error: string): void {
    this.send({ type: "control_response", response: { subtype: "error", request_id: requestId, error } })
  }

  closeInput(): void {
    this.#program.stdin.end()
  }

  readonly terminate = (options: { readonly grace: boolean }): Effect.Effect<Ending> => this.#program.terminate(options)

  readonly release: Effect.Effect<void> = Effect.suspend(() => this.#program.release)

  #take(lines: ReadonlyArray<JsonLine>): void {
    for (const line of lines) {
      if (line.kind === "preamble") this.#diagnostics.note("preamble", "The program wrote text before its first frame")
      else if (line.kind === "fault") this.#end(line)
      else this.#frame(line)
    }
  }

  #frame({ replaced, value }: Extract<JsonLine, { readonly kind: "message" }>): void {
    if (replaced === true) this.#diagnostics.note("invalid-utf8", "The program wrote bytes that are not UTF-8")
    if (!isFields(value)) this.#diagnostics.note("malformed-frame", "The program wrote a line that is no frame")
    else if (value["type"] === "control_response") this.#answered(fieldsAt(value, "response"))
    else this.#observer(value)
  }

  #answered(answer: Fields): void {
    const requestId = textAt(answer, "request_id") ?? ""
    const waiting = this.#waiting.get(requestId)
    if (waiting === undefined) return this.#diagnostics.note("unknown-answer", "The program answered what it was not asked")
    this.#waiting.delete(requestId)
    Deferred.doneUnsafe(waiting, Effect.succeed<ControlAnswer>(
      answer["subtype"] === "success"
        ? { kind: "answered", response: fieldsAt(answer, "response") }
        : { kind: "refused", explanation: textAt(answer, "error") ?? "The program gave no reason" }
    ))
  }

  #end(end: ConnectionEnd): void {
    if (!Deferred.doneUnsafe(this.#ended, Effect.succeed(end))) return
    this.#endedAs = end
    for (const waiting of this.#waiting.values()) Deferred.doneUnsafe(waiting, Effect.succeed<ControlAnswer>({ kind: "gone" }))
    this.#waiting.clear()
  }
}
