/** A path as it is printed: as it is, or as a JSON string when a reader could misread it. Never cut. */
const unusual = /[\s"'\\\u0000-\u001f\u007f-\u009f\ufffd]/

export const pathText = (path: string): string =>
  unusual.test(path) || !path.isWellFormed()
    ? JSON.stringify(path.toWellFormed()).replace(
      /[\u007f-\u009f\u2028\u2029]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
    )
    : path
