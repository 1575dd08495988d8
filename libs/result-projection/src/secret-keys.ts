/**
 * Says which keys look as if their value were a secret.
 *
 * Limits: by the key alone, in any casing and with any separators; a doubtful key counts as secret.
 */
const words = ["authorization", "cookie", "credential", "password", "passwd", "passphrase", "secret", "token"]
const pairs = ["apikey", "privatekey", "secretkey", "accesskey"]
const plain: ReadonlySet<string> = new Set(words.flatMap((word) => [word, `${word}s`]))

/** `userAPIKey` → user, api, key. */
const wordsOf = (key: string): ReadonlyArray<string> =>
  key
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

export const looksSecret = (key: string): boolean => {
  const parts = wordsOf(key)
  if (parts.some((part) => plain.has(part))) return true
  if (parts.some((part, at) => pairs.includes(`${part}${parts[at + 1] ?? ""}`) || pairs.includes(`${part}${parts[at + 1] ?? ""}`.replace(/s$/, "")))) return true
  // Casing or missing separators may hide the words: PGPASSWORD, accesstoken, pAsSwOrD.
  const joined = parts.join("").replace(/\d+$/, "").replace(/s$/, "")
  return [...words, ...pairs].some((word) => joined.endsWith(word))
}
