/** Which hosts the words of a command name. */
import { reachesHosts } from "./program-effects.ts"
import type { ShellWord } from "./shell-word.ts"

const scheme = /^[a-z][a-z0-9+.-]*:\/\//i
const remotePath = /^(?:[^@/\s]+@)?([A-Za-z0-9](?:[\w-]*\.)+[\w-]+):/
const bareHost = /^(?:[^@/\s]+@)?((?:[\w-]+\.)+[A-Za-z][\w-]*|localhost|\d{1,3}(?:\.\d{1,3}){3})(?=[:/]|$)/

/** Lower case, without port; undefined for what is no URL. */
export const hostOfUrl = (url: string): string | undefined => {
  const host = URL.canParse(url) ? new URL(url).hostname.toLowerCase() : ""
  return host === "" ? undefined : host
}

const hostOf = (program: string, text: string): string | undefined => {
  const value = text.replace(/^--?[\w-]+=/, "")
  if (scheme.test(value)) return hostOfUrl(value)
  if (!reachesHosts(program)) return undefined
  return (remotePath.exec(value)?.[1] ?? (program === "git" ? undefined : bareHost.exec(value)?.[1]))?.toLowerCase()
}

export const hostsOf = (program: string, words: ReadonlyArray<ShellWord>): ReadonlyArray<string> => [
  ...new Set(words.slice(1).flatMap(({ literal }) => (literal === undefined ? [] : hostOf(program, literal) ?? [])))
]
