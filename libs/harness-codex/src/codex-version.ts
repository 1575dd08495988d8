/** The version of Codex, out of what `codex --version` prints. */

type Version = readonly [major: number, minor: number, patch: number]

/** The oldest one that was recorded; older ones may say other things. */
export const oldestVersion: Version = [0, 171, 0]

const words = /(?:^|\s)(\d+)\.(\d+)\.(\d+)(\S*)/

export interface CodexVersion {
  /** As it is printed, without the program's name. */
  readonly text: string
  readonly supported: boolean
}

/** Undefined: what is printed holds no version. */
export const codexVersion = (printed: string): CodexVersion | undefined => {
  const found = words.exec(printed)
  if (found === null) return undefined
  const [, major, minor, patch, rest = ""] = found
  const numbers: Version = [Number(major), Number(minor), Number(patch)]
  const first = numbers.findIndex((number, place) => number !== oldestVersion[place])
  const supported = first < 0 ? !rest.startsWith("-") : (numbers[first] ?? 0) > (oldestVersion[first] ?? 0)
  return { text: `${numbers.join(".")}${rest}`, supported }
}
