/**
 * The implementation of ProcessHost for machines with POSIX processes.
 *
 * Owns: admission, the pool of pipes, watching the trees of running commands.
 * Ordering: a permit is held from before the spawn until the shell's status was collected.
 */
import { type ProcessIdentity, processLimits } from "@steno/contracts"
import { Deferred, Effect, Semaphore } from "effect"
import type { Environment } from "./command-environment.ts"
import { endCommand, type EndingTarget, sweepKin, whoIsLeft } from "./command-ending.ts"
import { CommandKin, survivorOf } from "./command-kin.ts"
import { specFault, type StartedShell, startShell } from "./command-start.ts"
import { PipePool } from "./pipe-pool.ts"
import { CouldNotStart, ProcessHostError } from "./process-host-errors.ts"
import type { CommandSpec, Ending, ProcessMarker, ProgramSpec, RunningCommand, RunningProgram } from "./process-host.ts"
import { livenessOf, selfIdentity } from "./process-liveness.ts"
import { bootId, isZombiePid, type ProcessEntry } from "./process-table.ts"
import { locateProgram } from "./program-location.ts"
import { type StartedProgram, startProgram } from "./program-start.ts"
import { TreeWatch } from "./tree-watch.ts"

const renameLooks = 3
const renamePauseMs = 3

/** A child between fork and exec still has the shell's command line: it is looked at again before it is named. */
const namedSurvivors = Effect.fnUntraced(function*(kin: CommandKin, shellFile: string) {
  let named = (yield* whoIsLeft(kin)).map(survivorOf)
  for (let look = 0; look < renameLooks && named.some((survivor) => survivor.command.includes(shellFile)); look++) {
    yield* Effect.sleep(renamePauseMs)
    named = (yield* whoIsLeft(kin)).map(survivorOf)
  }
  return named
})

/** One ending at a time: whoever asks meanwhile gets its answer. */
const terminationOf = ({ exited, pid }: Pick<StartedShell, "pid" | "exited">, kin: CommandKin): RunningCommand["terminate"] => {
  const target: EndingTarget = {
    kin,
    uncollected: () => Deferred.isDoneUnsafe(exited) ? undefined : pid,
    group: pid
  }
  const hurry = Deferred.makeUnsafe<void>()
  let ending: Deferred.Deferred<Ending> | undefined
  return Effect.fn("ProcessHost.terminate")(function*(options: { readonly grace: boolean }) {
    if (!options.grace) Deferred.doneUnsafe(hurry, Effect.void)
    const current = ending
    if (current !== undefined && !Deferred.isDoneUnsafe(current)) return yield* Deferred.await(current)
    const next = Deferred.makeUnsafe<Ending>()
    ending = next
    yield* endCommand(target, hurry).pipe(
      Effect.flatMap((answer) => Deferred.succeed(next, answer)),
      Effect.forkDetach({ startImmediately: true })
    )
    return yield* Deferred.await(next)
  })
}

const running = (shell: StartedShell, kin: CommandKin): RunningCommand => {
  const release = Effect.sync(() => {
    shell.stdout.destroy()
    shell.stderr.destroy()
    shell.file.remove()
  })
  return {
    identity: shell.identity,
    stdout: shell.stdout,
    stderr: shell.stderr,
    exited: Deferred.await(shell.exited),
    hasExited: () => Deferred.isDoneUnsafe(shell.exited) || isZombiePid(shell.pid),
    survivors: namedSurvivors(kin, shell.file.path),
    terminate: terminationOf(shell, kin),
    release
  }
}

const runningProgram = (program: StartedProgram, kin: CommandKin): RunningProgram => ({
  identity: program.identity,
  stdin: program.stdin,
  stdout: program.stdout,
  stderr: program.stderr,
  exited: Deferred.await(program.exited),
  terminate: terminationOf(program, kin),
  release: Effect.sync(() => {
    for (const stream of [program.stdin, program.stdout, program.stderr]) stream.destroy()
  })
})

const launch = (spec: ProgramSpec): Effect.Effect<StartedProgram, ProcessHostError> =>
  Effect.callback((resume) =>
    startProgram(spec, (outcome) =>
      resume(outcome instanceof CouldNotStart
        ? Effect.fail(new ProcessHostError({ reason: outcome }))
        : Effect.succeed(outcome)))
  )

const start = (
  spec: CommandSpec,
  pool: PipePool
): Effect.Effect<StartedShell, ProcessHostError> =>
  Effect.callback((resume) => {
    const fault = specFault(spec)
    if (fault !== undefined) return resume(Effect.fail(new ProcessHostError({ reason: fault })))
    pool.takeTwo((pipes) =>
      startShell(spec, pipes, (readFd) => pool.takeBack(readFd), (outcome) =>
        resume(outcome instanceof CouldNotStart
          ? Effect.fail(new ProcessHostError({ reason: outcome }))
          : Effect.succeed(outcome))))
  })

const sweep = Effect.fn("ProcessHost.sweep")(function*(
  found: { readonly marker: ProcessMarker; readonly root: ProcessIdentity | undefined }
) {
  const root = found.root !== undefined && found.root.bootId === bootId ? found.root : undefined
  const kin = new CommandKin(root, found.marker, false)
  const ended = new Map<number, ProcessEntry>()
  const names = yield* whoIsLeft(kin).pipe(Effect.map((left) => left.map(survivorOf)))
  const ending = yield* sweepKin({ kin, uncollected: () => undefined, group: undefined }, ended)
  const late = [...ended.values()].filter((entry) => !names.some((name) => name.pid === entry.pid)).map(survivorOf)
  return { ended: [...names.filter((name) => ended.has(name.pid)), ...late], ending }
})

export const makeProcessHost = Effect.gen(function*() {
  const admission = yield* Semaphore.make(processLimits.concurrentProcesses)
  const pool = new PipePool()
  const watch = new TreeWatch()
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      pool.close()
      watch.close()
    })
  )

  const startCommand = Effect.fn("ProcessHost.start")(function*(spec: CommandSpec) {
    return yield* Effect.uninterruptibleMask((restore) =>
      Effect.gen(function*() {
        yield* restore(admission.take(1))
        const shell = yield* Effect.onError(start(spec, pool), () => admission.release(1))
        const kin = new CommandKin(shell.entry, spec.marker, true)
        watch.add(kin)
        yield* Deferred.await(shell.exited).pipe(
          Effect.andThen(Effect.suspend(() => {
            watch.remove(kin)
            return admission.release(1)
          })),
          Effect.forkDetach({ startImmediately: true })
        )
        return running(shell, kin)
      })
    )
  })

  const startWatched = Effect.fn("ProcessHost.startProgram")(function*(spec: ProgramSpec) {
    return yield* Effect.uninterruptible(Effect.gen(function*() {
      const program = yield* launch(spec)
      const kin = new CommandKin(program.entry, spec.marker, true)
      watch.add(kin)
      yield* Deferred.await(program.exited).pipe(
        Effect.andThen(Effect.sync(() => watch.remove(kin))),
        Effect.forkDetach({ startImmediately: true })
      )
      return runningProgram(program, kin)
    }))
  })

  return {
    self: Effect.sync(selfIdentity),
    locate: (program: string, search: { readonly cwd: string; readonly environment: Environment }) =>
      Effect.sync(() => locateProgram(program, search.cwd, search.environment)),
    startProgram: startWatched,
    liveness: (identity: ProcessIdentity) => Effect.sync(() => livenessOf(identity)),
    start: startCommand,
    sweep
  }
})
