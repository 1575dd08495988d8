/**
 * Ports whose every answer a test decides, by the arguments of a call and by the name they hold.
 *
 * Owns: which tools ran, how often, and who waits for the test to go on.
 * Limits: names are unique in a test; what is decided by arguments is the same for every owner of the Run.
 */
import type { CallArguments, PolicyRule, ProcessIdentity, Question } from "@steno/contracts"
import { Deferred, Effect, Layer, Stream } from "effect"
import { CallHandlers } from "../call-handlers.ts"
import { type CallJudgement, CallSupervision, RulesNotKept } from "../call-supervision.ts"
import { type EnteredCall, type HostCall, HostTools, type ToolEnd, ToolDidNotStart, type ToolFiles } from "../host-tools.ts"
import { type EndedCall, type EndedResult, ResultPreparation } from "../result-preparation.ts"
import { ampleSpace, emptyFiles, plainPreparation } from "./plain-ports.ts"

/** How a call of a test behaves. */
export type CallScript = {
  readonly name: string
  readonly verdict?: "allow" | "deny" | "approval" | "throw" | "held"
  /** What a stop leads to; absent: the tool never answers one. */
  readonly stop?: "confirmed" | "unconfirmed" | "aborted" | "fault"
  readonly fits?: boolean
  readonly file?: string
  readonly starts?: boolean
  readonly process?: boolean
}

export const askedRule: PolicyRule = { effect: "allow", command: "make test" }
const openRule: PolicyRule = { effect: "allow", command: "make *" }

export const question: Question = {
  id: "colour",
  prompt: "Which colour?",
  options: [{ id: "red", label: "Red" }, { id: "blue", label: "Blue" }]
}

const scriptOf = (args: CallArguments): CallScript => ({ ...args, name: String(args["name"]) })

/** A process of the tools; nobody looks for it. */
const someProcess: ProcessIdentity = { bootId: "boot", pid: 77, startTime: "1" }

const asked: Omit<CallJudgement, "supervision"> = {
  reason: "It is asked about.",
  segments: [{ text: "make test", decision: "approval", layer: "default", reason: "It is asked about." }],
  suggestedRules: [askedRule, openRule],
  judgedPaths: ["/judged"]
}

export class ToolRun {
  readonly call: HostCall
  readonly judgedPaths: ReadonlyArray<string> | undefined
  readonly stops: Array<boolean> = []
  readonly ended = Deferred.makeUnsafe<ToolEnd>()

  constructor(call: HostCall, judgedPaths: ReadonlyArray<string> | undefined) {
    this.call = call
    this.judgedPaths = judgedPaths
  }
}

const stopEnds: Readonly<Record<NonNullable<CallScript["stop"]>, ToolEnd>> = {
  confirmed: {
    kind: "process", exit: { kind: "signalled", signal: "SIGTERM" }, timedOut: false, stopped: "confirmed", survivors: [], durationMs: 5,
    captured: emptyFiles
  },
  unconfirmed: {
    kind: "process", exit: undefined, timedOut: false, stopped: "unconfirmed", survivors: [], durationMs: 5, captured: emptyFiles
  },
  aborted: { kind: "aborted", durationMs: 5 },
  fault: { kind: "fault", reason: { code: "file-system", text: "It broke." }, durationMs: 5 }
}

export const resultEnd = (value: unknown): ToolEnd => ({ kind: "result", value, durationMs: 5 })

export class ControlledPorts {
  /** Names in the order in which their tools started, of all owners. */
  readonly ran: Array<string> = []
  readonly runs = new Map<string, ToolRun>()
  readonly judged: Array<string> = []
  /** Names of the calls whose results were prepared. */
  readonly prepared: Array<string> = []
  readonly sessionRules: Array<ReadonlyArray<PolicyRule>> = []
  readonly kept: Array<ReadonlyArray<PolicyRule>> = []
  /** False: no rule can be written. */
  keepsRules = true
  /** What a dead owner left of a call. */
  left: ToolFiles = emptyFiles
  /** What happens while the tool of that name starts. */
  readonly whileStarting = new Map<string, Effect.Effect<void>>()
  /** Verdicts that count instead of those of the arguments. */
  readonly verdicts = new Map<string, CallScript["verdict"]>()
  readonly #started = new Map<string, Deferred.Deferred<ToolRun>>()
  readonly #held = new Map<string, Deferred.Deferred<"allow" | "deny" | "approval">>()
  readonly #files = new Map<string, ReadonlyArray<Deferred.Deferred<void>>>()

  #start(name: string): Deferred.Deferred<ToolRun> {
    const started = this.#started.get(name) ?? Deferred.makeUnsafe<ToolRun>()
    this.#started.set(name, started)
    return started
  }

  #decision(name: string) {
    const held = this.#held.get(name) ?? Deferred.makeUnsafe<"allow" | "deny" | "approval">()
    this.#held.set(name, held)
    return held
  }

  /** Resolves when the tool of that name has started. */
  started(name: string): Effect.Effect<ToolRun> {
    return Effect.suspend(() => Deferred.await(this.#start(name)))
  }

  end(name: string, end: ToolEnd): Effect.Effect<void> {
    return Effect.flatMap(this.started(name), ({ ended }) => Effect.asVoid(Deferred.succeed(ended, end)))
  }

  /** Decides a call whose verdict is `held`. */
  decide(name: string, verdict: "allow" | "deny" | "approval"): Effect.Effect<void> {
    return Effect.suspend(() => Effect.asVoid(Deferred.succeed(this.#decision(name), verdict)))
  }

  #enter({ file }: CallScript) {
    if (file === undefined) return Effect.succeed(undefined)
    const admit = () => {
      const first = this.#files.get(file)?.[0]
      if (first !== undefined) Deferred.doneUnsafe(first, Effect.void)
    }
    return Effect.acquireRelease(
      Effect.sync(() => {
        const place = Deferred.makeUnsafe<void>()
        this.#files.set(file, [...(this.#files.get(file) ?? []), place])
        admit()
        return place
      }),
      (place) =>
        Effect.sync(() => {
          this.#files.set(file, (this.#files.get(file) ?? []).filter((other) => other !== place))
          admit()
        })
    )
  }

  readonly #tools = Layer.succeed(HostTools, {
    enter: (call) => {
      const script = scriptOf(call.arguments)
      return Effect.map(this.#enter(script), (place): EnteredCall => ({
        ...(place === undefined ? {} : { turn: Deferred.await(place) }),
        start: ({ judgedPaths }) =>
          Effect.suspend(() => {
            if (script.starts === false) return new ToolDidNotStart({ code: "path-not-found", explanation: "It does not exist." })
            const run = new ToolRun(call, judgedPaths)
            this.ran.push(script.name)
            this.runs.set(script.name, run)
            Deferred.doneUnsafe(this.#start(script.name), Effect.succeed(run))
            return Effect.as(this.whileStarting.get(script.name) ?? Effect.void, {
              process: script.process === true ? someProcess : undefined,
              quiet: Stream.empty,
              endedByItself: () => false,
              storedBytes: () => 0,
              output: () => ({ text: "" }),
              ended: Deferred.await(run.ended),
              stop: ({ grace }: { readonly grace: boolean }) => {
                run.stops.push(grace)
                return script.stop === undefined ? Effect.void : Effect.asVoid(Deferred.succeed(run.ended, stopEnds[script.stop]))
              }
            })
          })
      }))
    },
    recover: () => Effect.succeed({ captured: this.left, ended: [], left: [] })
  })

  #judge(call: HostCall): Effect.Effect<CallJudgement> {
    const script = scriptOf(call.arguments)
    const verdict = this.verdicts.get(script.name) ?? script.verdict ?? "allow"
    this.judged.push(script.name)
    if (verdict === "throw") return Effect.die(new Error("a broken policy"))
    const decided = verdict === "held" ? Deferred.await(this.#decision(script.name)) : Effect.succeed(verdict)
    return Effect.map(decided, (decision): CallJudgement => ({
      ...asked,
      supervision: { decision, by: "policy", ...(decision === "deny" ? { rule: { effect: "deny", command: "make *" } } : {}) }
    }))
  }

  readonly #supervision = Layer.succeed(CallSupervision, {
    check: (call) =>
      Effect.succeed(
        call.tool === "unknown"
          ? { kind: "refused", reason: { code: "unknown-tool", text: "There is no such tool." } }
          : scriptOf(call.arguments).fits === false
          ? { kind: "refused", reason: { code: "invalid-arguments", text: "They do not fit." } }
          : { kind: "fits", replaySafe: false }
      ),
    judge: (call, { sessionRules }) =>
      Effect.suspend(() => {
        this.sessionRules.push(sessionRules)
        return this.#judge(call)
      }),
    judgeDirectCommand: () => Effect.succeed({ decision: "allow", by: "user" }),
    keepRules: ({ rules }) =>
      Effect.suspend(() => {
        if (!this.keepsRules) return new RulesNotKept({ explanation: "The file is read-only." })
        this.kept.push(rules)
        return Effect.void
      })
  })

  readonly #handlers = Layer.succeed(CallHandlers, {
    find: (tool) => {
      switch (tool) {
        case "ask_user":
          return {
            handle: () => Effect.succeed({ kind: "awaiting-input", questions: [question] }),
            answered: (_, { answer }) => "dismissed" in answer ? Effect.succeed("dismissed") : Effect.succeed(answer.answers)
          }
        case "run_done":
          return { handle: () => Effect.succeed({ kind: "completed", value: "accepted" }), answered: () => Effect.die("never asks") }
        case "run_failed":
          return {
            handle: () => Effect.succeed({ kind: "refused", reason: { code: "refused", text: "Agent calls are off." } }),
            answered: () => Effect.die("never asks")
          }
        case "broken":
          return { handle: () => Effect.die(new Error("broken")), answered: () => Effect.die("never asks") }
        case "broken_later":
          return {
            handle: () => Effect.succeed({ kind: "awaiting-input", questions: [question] }),
            answered: () => Effect.die(new Error("broken"))
          }
        default:
          return undefined
      }
    }
  })

  readonly #preparation = Layer.effect(ResultPreparation, Effect.map(ResultPreparation, ({ prepare }) => ({
    prepare: (call: EndedCall, result: EndedResult) => {
      this.prepared.push(scriptOf(call.arguments ?? {}).name)
      return prepare(call, result)
    }
  }))).pipe(Layer.provide(plainPreparation))

  get layer() {
    return Layer.mergeAll(this.#tools, this.#supervision, this.#handlers, this.#preparation, ampleSpace)
  }
}
