/**
 * What ties an approval to the command that runs.
 *
 * Owns: the digest of a command. How one is shown: `visibleCommand` of contracts.
 */
import { digestOf } from "./policy-layers.ts"

/** `sha256:` and 64 hexadecimal digits of the exact command in UTF-8. */
export const commandDigest = (command: string): string => digestOf(command)
