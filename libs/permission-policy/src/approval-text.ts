/**
 * How a command is shown to whoever approves it.
 *
 * Owns: the visible form of characters that a terminal or a page would act on; the digest that ties what is shown to what is run.
 * Limits: nothing is removed and nothing is shortened.
 */
import { digestOf } from "./policy-layers.ts"

const asByte = (character: string): string => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`
const asCodePoint = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

const controls = /[\0-\u0008\u000b-\u001f\u007f-\u009f]/g
/** Format characters (directions, zero widths, tags), other spaces and line ends, surrogates without a partner. */
const unseen = /(?![\t\n ])[\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0]/gu

/** Every control character but tab and newline reads `\xNN`, every other character that shows as nothing or as a space `\u{…}`. */
export const visibleCommand = (command: string): string => command.replace(controls, asByte).replace(unseen, asCodePoint)

/** `sha256:` and 64 hexadecimal digits of the exact command in UTF-8. */
export const commandDigest = (command: string): string => digestOf(command)
