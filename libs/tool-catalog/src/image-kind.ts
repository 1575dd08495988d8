/** Which image a file is, by its first bytes. Pure. */

const signatures: ReadonlyArray<readonly [mediaType: string, first: ReadonlyArray<number | undefined>]> = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38, undefined, 0x61]],
  ["image/webp", [0x52, 0x49, 0x46, 0x46, undefined, undefined, undefined, undefined, 0x57, 0x45, 0x42, 0x50]]
]

/** undefined: none that can be shown. */
export const imageKind = (first: Uint8Array): string | undefined =>
  signatures.find(([, bytes]) => bytes.every((byte, at) => byte === undefined ? at < first.length : first[at] === byte))?.[0]
