/**
 * Reads outputs without stopping the event loop, and keeps the readings of those read last.
 *
 * Owns: how much of an output is read between two turns of the event loop; which readings are kept, by the digest of the file.
 * Never owns: opening and verifying files: whoever asks hands over their bytes.
 * Limits: two askers at once for a file that nobody has read yet both read it.
 */
import { Context, Effect, Layer, Stream } from "effect"
import type { OutputReader, OutputReading } from "./output-reading.ts"
import { processOutputReader } from "./process-diagnostics.ts"

/** What is read between two turns of the event loop. */
const sliceBytes = 65_536

/** A reading takes some tens of kilobytes at most. */
const keptReadings = 64

export interface OutputBytes<E, R> {
  /** Weighs in the choice of lines; absent: none is known. */
  readonly exitCode?: number
  /** In order, cut anywhere. */
  readonly bytes: Stream.Stream<Uint8Array, E, R>
  /** What came behind them and is in no file; of the bytes between nobody knows more than how many they are. */
  readonly unfiled?: { readonly lostBytes: number; readonly bytes: Uint8Array }
}

export interface OutputToRead<E, R> extends OutputBytes<E, R> {
  /** Of `bytes`, as it was verified or computed; absent: nobody knows it. */
  readonly digest?: string
}

const feed = Effect.fnUntraced(function*(reader: OutputReader, block: Uint8Array) {
  for (let at = 0; at < block.length; at += sliceBytes) {
    reader.push(block.subarray(at, at + sliceBytes))
    yield* Effect.yieldNow
  }
})

/** Reads an output to its end; fails as its bytes do. */
export const readOutput = Effect.fn("readOutput")(function*<E, R>({ bytes, exitCode, unfiled }: OutputBytes<E, R>) {
  const reader = processOutputReader()
  yield* Stream.runForEach(bytes, (block) => feed(reader, block))
  if (unfiled !== undefined) {
    reader.leaveFile(unfiled.lostBytes)
    yield* feed(reader, unfiled.bytes)
  }
  return reader.finish(exitCode)
})

const keyOf = (digest: string, exitCode: number | undefined): string => `${digest} ${exitCode ?? ""}`

const makeReadings = (capacity: number) => {
  /** The one asked for last comes last. */
  const kept = new Map<string, OutputReading>()

  const keep = (key: string, reading: OutputReading): void => {
    kept.delete(key)
    kept.set(key, reading)
    const oldest = kept.keys().next()
    if (kept.size > capacity && oldest.done !== true) kept.delete(oldest.value)
  }

  return OutputReadings.of({
    read: Effect.fn("OutputReadings.read")(function*<E, R>(output: OutputToRead<E, R>) {
      if (output.digest === undefined || output.unfiled !== undefined) return yield* readOutput(output)
      const key = keyOf(output.digest, output.exitCode)
      const reading = kept.get(key) ?? (yield* readOutput(output))
      keep(key, reading)
      return reading
    })
  })
}

export class OutputReadings extends Context.Service<OutputReadings, {
  /**
   * A reading that is kept is given without touching `bytes`. Kept is that of a file whose digest is known and that is the whole
   * output. Fails as the bytes do, and keeps nothing then.
   */
  readonly read: <E, R>(output: OutputToRead<E, R>) => Effect.Effect<OutputReading, E, R>
}>()("@steno/result-projection/OutputReadings") {
  /** Keeps the `capacity` readings asked for last, 64 by default. */
  static readonly layer = (options: { readonly capacity?: number } = {}): Layer.Layer<OutputReadings> =>
    Layer.sync(OutputReadings, () => makeReadings(options.capacity ?? keptReadings))
}
