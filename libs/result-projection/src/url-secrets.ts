/**
 * Takes out of URLs what lets a reader act as somebody: user info, and query values under secret-looking names.
 *
 * Limits: works on any text that holds URLs; linear in its length.
 */
import { looksSecret } from "./secret-keys.ts"

/** Names that carry a secret in a query, though they are harmless as keys elsewhere. */
const queryNames: ReadonlySet<string> = new Set(["key", "sig", "signature", "auth", "jwt", "code", "pass", "pwd", "sas"])

const lastWord = (name: string): string => name.toLowerCase().split(/[^a-z0-9]+/).at(-1) ?? ""

const decoded = (name: string): string => {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}

const isSecretName = (name: string): boolean => looksSecret(decoded(name)) || queryNames.has(lastWord(decoded(name)))

export const withoutUserInfo = (text: string): string =>
  text.includes("://") ? text.replace(/:\/\/[^\s/?#"'<>]*@/g, "://") : text

/** Values become `…`; names stay, so that a reader sees what was there. */
export const withoutUrlSecrets = (text: string): string =>
  withoutUserInfo(text).replace(
    /([?&#;])([^\s?&#;="'<>]{1,128})=([^\s&#;"'<>]+)/g,
    (whole, mark: string, name: string) => isSecretName(name) ? `${mark}${name}=…` : whole
  )
