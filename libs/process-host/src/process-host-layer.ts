/**
 * The implementation of ProcessHost for machines with POSIX processes.
 *
 * Owns: admission, the pool of pipes, watching the trees of running commands.
 * Ordering: a permit is held from before the spawn until the shell's status was collected.
 */
import { type ProcessIdentity, processLimits } from "@steno/contracts"
import { Deferred, Effect, Semaphore } from "effect"
import { endCommand, type EndingTarget, sweepKin, whoIsLeft } from "./command-ending.ts"
import { CommandKin, survivorOf } from "./command-kin.ts"
import { specFault, type StartedShell, startShell } from "./command-start.ts"
import { PipePool } from "./pipe-pool.ts"
import { CouldNotStart, ProcessHostError } from "./process-host-errors.ts"
import type { CommandSpec, Ending, ProcessMarker, RunningCommand } from "./process-host.ts"
import { livenessOf, selfIdentity } from "./process-liveness.ts"
import { bootId, isZombiePid, type ProcessEntry } from "./process-table.ts"
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

const running = (shell: StartedShell, kin: CommandKin): RunningCommand => {
  const target: EndingTarget = {
    kin,
    uncollected: () => Deferred.isDoneUnsafe(shell.exited) ? undefined : shell.pid,
    group: shell.pid
  }
  const hurry = Deferred.makeUnsafe<void>()
  let ending: Deferred.Deferred<Ending> | undefined
  const terminate = Effect.fn("RunningCommand.terminate")(function*(options: { readonly grace: boolean }) {
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
    terminate,
    release
  }
}

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

  return {
    self: Effect.sync(selfIdentity),
    liveness: (identity: ProcessIdentity) => Effect.sync(() => livenessOf(identity)),
    start: startCommand,
    sweep
  }
})
