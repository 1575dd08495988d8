/** Numbers with their unit, for people. */

const grouped = (value: number): string => String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ",")

export const countText = (count: number, singular: string, plural: string): string =>
  `${grouped(count)} ${count === 1 ? singular : plural}`

export const byteText = (bytes: number): string => countText(bytes, "byte", "bytes")

export const lineText = (lines: number): string => countText(lines, "line", "lines")

/** `412 ms`, `3.4 s`, `2 min 05 s`, `1 h 02 min`. */
export const durationText = (durationMs: number): string => {
  if (durationMs < 1_000) return `${Math.round(durationMs)} ms`
  if (durationMs < 59_950) return `${(durationMs / 1_000).toFixed(1)} s`
  const seconds = Math.round(durationMs / 1_000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, "0")} s`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`
}
