/**
 * How a command or rule is shown to whoever decides about it.
 *
 * Owns: the visible form of characters that a terminal or a page would act on or not show.
 * Limits: pure; nothing is removed and nothing is shortened.
 */

const asByte = (character: string): string => `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`
const asCodePoint = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

const controls = /[\0-\u0008\u000b-\u001f\u007f-\u009f]/g
/** Format characters (directions, zero widths, tags), other spaces and line ends, surrogates without a partner. */
const unseen = /(?![\t\n ])[\p{Cf}\p{Zs}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0]/gu

/** Every control character but tab and newline reads `\xNN`, every other character that shows as nothing or as a space `\u{…}`. */
export const visibleCommand = (command: string): string => command.replace(controls, asByte).replace(unseen, asCodePoint)
