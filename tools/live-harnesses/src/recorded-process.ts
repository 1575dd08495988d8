/**
 * One process of a harness program whose lines are kept, in both directions.
 *
 * Owns: starting it in a group of its own, its lines and their times, waiting for a message, its end.
 * Never owns: what a message means (the clients), where lines are stored (record).
 * Limits: a message that does not come within the deadline is an error that names what was waited for.
 */
import { LineReader } from "@steno/process-host"
import { type ChildProcess, spawn } from "node:child_process"
import type { RecordedLine, RecordingHeader } from "./recording.ts"

export type JsonObject = { readonly [key: string]: unknown }
export type ProcessEnd = RecordingHeader["processes"][number]

export const objectOf = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {}

const deadlineMs = 60_000

export interface ProcessStart {
  readonly number: number
  readonly command: string
  readonly launcherArguments: ReadonlyArray<string>
  readonly arguments: ReadonlyArray<string>
  readonly cwd: string
  readonly environment: Readonly<Record<string, string>>
  /** Milliseconds since the recording began. */
  readonly now: () => number
  readonly keep: (line: RecordedLine) => void
}

interface Waiting {
  readonly test: (message: JsonObject) => boolean
  readonly from: number
  readonly resolve: (message: JsonObject) => void
}

export class RecordedProcess {
  readonly messages: Array<JsonObject> = []
  readonly exited: Promise<ProcessEnd>
  readonly #child: ChildProcess
  readonly #start: ProcessStart
  readonly #listeners = new Set<(message: JsonObject) => void>()
  readonly #waiting = new Set<Waiting>()
  #endedBy: ProcessEnd["endedBy"] = "itself"

  constructor(start: ProcessStart) {
    this.#start = start
    const startedMs = start.now()
    this.#child = spawn(start.command, [...start.launcherArguments, ...start.arguments], {
      cwd: start.cwd,
      env: start.environment,
      detached: true,
      stdio: "pipe"
    })
    this.#read("out")
    this.#read("err")
    this.#child.stdin?.on("error", () => undefined)
    this.exited = new Promise((resolve, reject) => {
      this.#child.once("error", reject)
      this.#child.once("close", (code, signal) =>
        resolve({ arguments: start.arguments, startedMs, exitedMs: start.now(), code, signal, endedBy: this.#endedBy }))
    })
  }

  /** 0 where it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0
  }

  send(message: JsonObject): void {
    const line = JSON.stringify(message)
    this.#start.keep({ process: this.#start.number, direction: "in", ms: this.#start.now(), line })
    this.#child.stdin?.write(`${line}\n`)
  }

  listen(listener: (message: JsonObject) => void): void {
    this.#listeners.add(listener)
  }

  /** The place behind the last message. */
  mark(): number {
    return this.messages.length
  }

  /** The first message from `from` on that fits; `what` names it in the error. */
  until(what: string, test: (message: JsonObject) => boolean, from = 0): Promise<JsonObject> {
    const found = this.messages.slice(from).find(test)
    if (found !== undefined) return Promise.resolve(found)
    const { promise, reject, resolve } = Promise.withResolvers<JsonObject>()
    const waiting = { test, from, resolve }
    const timer = setTimeout(() => reject(new Error(`no ${what} within ${deadlineMs} ms`)), deadlineMs)
    this.#waiting.add(waiting)
    void this.exited.then(() => reject(new Error(`the program ended before ${what}`)), reject)
    return promise.finally(() => {
      clearTimeout(timer)
      this.#waiting.delete(waiting)
    })
  }

  /** Closes stdin; what has not ended 10 s later is killed with its group. */
  async end(): Promise<ProcessEnd> {
    if (!this.#ended() && this.#endedBy === "itself") this.#endedBy = "stdin-closed"
    this.#child.stdin?.end()
    const timer = setTimeout(() => this.kill("SIGKILL"), 10_000)
    const end = await this.exited
    clearTimeout(timer)
    return end
  }

  kill(signal: "SIGTERM" | "SIGKILL"): void {
    if (this.pid === 0) return
    if (!this.#ended()) this.#endedBy = signal
    try {
      process.kill(-this.pid, signal)
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error
    }
  }

  /** Leaves its children to themselves. */
  killAlone(): void {
    this.#endedBy = "SIGKILL"
    this.#child.kill("SIGKILL")
  }

  #ended(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null
  }

  #read(direction: "out" | "err"): void {
    const reader = new LineReader()
    const take = (lines: ReturnType<LineReader["push"]>): void => {
      for (const line of lines) {
        if (line.kind === "skipped") throw new Error(`a line of ${line.sizeBytes} bytes`)
        this.#start.keep({ process: this.#start.number, direction, ms: this.#start.now(), line: line.text })
        if (direction === "out") this.#take(line.text)
      }
    }
    const stream = direction === "out" ? this.#child.stdout : this.#child.stderr
    stream?.on("data", (bytes: Buffer) => take(reader.push(bytes)))
    stream?.on("end", () => {
      const last = reader.end()
      if (last !== undefined) take([last])
    })
  }

  #take(line: string): void {
    if (!line.startsWith("{")) return
    const message = objectOf(JSON.parse(line))
    const index = this.messages.push(message) - 1
    for (const listener of this.#listeners) listener(message)
    for (const { from, resolve, test } of this.#waiting) if (index >= from && test(message)) resolve(message)
  }
}
