/**
 * `capture.json`: the plans of a capture's files as they are stored.
 *
 * Written before a join begins; it stays where bytes were dropped, because the joined files do not tell that.
 */
import { CaptureStream } from "@steno/contracts"
import { Effect, Option, Schema } from "effect"
import { Buffer } from "node:buffer"
import { join } from "node:path"
import { planName } from "./capture-names.ts"
import type { FilePlan } from "./capture-plan.ts"
import { closeFile, openToRead, readAt, statFile } from "./file-io.ts"
import type { StorageFault } from "./storage-fault.ts"

const whole = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

const StoredPlan = Schema.Struct({
  observedBytes: whole,
  observedLines: whole,
  droppedBytes: whole,
  headKept: whole,
  inserted: Schema.String,
  tailFrom: whole,
  tailTo: whole
})

const PlanRecord = Schema.fromJsonString(
  Schema.Struct({
    version: Schema.Literal(1),
    files: Schema.Array(Schema.Struct({ stream: CaptureStream, plan: StoredPlan }))
  })
)

const decode = Schema.decodeUnknownOption(PlanRecord)

/** Written on the way to a call's end, so without a compiled schema; a test decodes it. */
export const encodePlans = (plans: ReadonlyMap<CaptureStream, FilePlan>): string => {
  const record: typeof PlanRecord.Type = { version: 1, files: [...plans].map(([stream, plan]) => ({ stream, plan })) }
  return JSON.stringify(record)
}

/** Empty for a text that is no record. */
export const decodePlans = (text: string): ReadonlyMap<CaptureStream, FilePlan> =>
  new Map(Option.match(decode(text), {
    onNone: () => [],
    onSome: (record) => record.files.map(({ stream, plan }) => [stream, plan] as const)
  }))

/** The plans of a folder with these names; none where no join was planned. */
export const readPlans = (
  directory: string,
  names: ReadonlyArray<string>
): Effect.Effect<ReadonlyMap<CaptureStream, FilePlan>, StorageFault> => {
  const path = join(directory, planName)
  if (!names.includes(planName)) return Effect.succeed(new Map())
  return Effect.acquireUseRelease(
    openToRead(path),
    Effect.fnUntraced(function*(fd: number) {
      const text = Buffer.alloc((yield* statFile(fd, path)).size)
      yield* readAt(fd, path, text, text.length, 0)
      return decodePlans(text.toString("utf8"))
    }),
    closeFile
  )
}
