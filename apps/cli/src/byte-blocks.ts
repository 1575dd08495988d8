/**
 * Bytes of a Node stream, block by block as they are asked for.
 *
 * Limits: the stream is opened when it is read, and closed when the reader goes away.
 */
import { Effect, Stream } from "effect"

export const byteBlocks = <E>(open: () => AsyncIterable<Uint8Array>, onFault: (fault: unknown) => E): Stream.Stream<Uint8Array, E> =>
  Stream.unwrap(
    Effect.map(Effect.try({ try: open, catch: onFault }), (readable) => Stream.fromAsyncIterable(readable, onFault))
  )
