/**
 * What kind of content a file has, judged by its first bytes. Pure.
 *
 * Limits: text is UTF-8 unless a byte order mark says UTF-16. A NUL, or more than 30 % that is no UTF-8, in the first 8 KiB is not
 * text; what is neither here is text, whatever follows.
 */

/** How much of a file is looked at. */
export const judgedBytes = 8 * 1024

export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be"

export type FileContent =
  | { readonly kind: "text"; readonly encoding: TextEncoding; readonly markBytes: number }
  | { readonly kind: "binary"; readonly name: string }

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1")

const formats: ReadonlyArray<readonly [name: string, at: number, first: string]> = [
  ["a PDF document", 0, "%PDF-"],
  ["an ELF program or library", 0, "\x7fELF"],
  ["a Mach-O program or library", 0, "\xcf\xfa\xed\xfe"],
  ["a Windows program or library", 0, "MZ"],
  ["a WebAssembly module", 0, "\0asm"],
  ["a Java class or universal binary", 0, "\xca\xfe\xba\xbe"],
  ["a ZIP archive", 0, "PK\x03\x04"],
  ["a gzip archive", 0, "\x1f\x8b"],
  ["a bzip2 archive", 0, "BZh"],
  ["an xz archive", 0, "\xfd7zXZ\0"],
  ["a Zstandard archive", 0, "\x28\xb5\x2f\xfd"],
  ["a 7z archive", 0, "7z\xbc\xaf\x27\x1c"],
  ["a tar archive", 257, "ustar"],
  ["an SQLite database", 0, "SQLite format 3\0"],
  ["a static library", 0, "!<arch>\n"],
  ["an icon", 0, "\0\0\x01\0"],
  ["a TIFF image", 0, "II*\0"],
  ["a TIFF image", 0, "MM\0*"],
  ["a media file", 4, "ftyp"],
  ["a RIFF file", 0, "RIFF"],
  ["an Ogg file", 0, "OggS"],
  ["a font", 0, "wOF2"],
  ["a font", 0, "\0\x01\0\0"]
]

/** These begin no text; the others count only where the bytes are no text either. */
const certain: ReadonlySet<string> = new Set(["a PDF document"])

const nameOf = (text: string): string | undefined => formats.find(([, at, first]) => text.startsWith(first, at))?.[0]

const replaced = (bytes: Uint8Array): number => {
  const text = new TextDecoder("utf-8").decode(bytes, { stream: true })
  let count = 0
  for (let at = text.indexOf("\ufffd"); at >= 0; at = text.indexOf("\ufffd", at + 1)) count += 1
  return count
}

const mostReplaced = 0.3

/** `first`: at least the first `judgedBytes`, or all there is. */
export const fileContent = (first: Uint8Array): FileContent => {
  const bytes = first.subarray(0, judgedBytes)
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { kind: "text", encoding: "utf-16le", markBytes: 2 }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { kind: "text", encoding: "utf-16be", markBytes: 2 }
  const text = latin1(bytes)
  const name = nameOf(text)
  if (name !== undefined && certain.has(name)) return { kind: "binary", name }
  if (bytes.includes(0) || replaced(bytes) > bytes.length * mostReplaced) return { kind: "binary", name: name ?? "a binary file" }
  return { kind: "text", encoding: "utf-8", markBytes: text.startsWith("\xef\xbb\xbf") ? 3 : 0 }
}
