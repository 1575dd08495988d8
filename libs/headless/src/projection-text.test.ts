import { makeProjection } from "@steno/projection-port/testing"
import { describe, expect, it } from "vitest"
import { explainedText, projectionText } from "./projection-text.ts"

const whole = makeProjection({ text: "Output (1 line, 4 bytes):\none", fits: true, strategy: "unchanged", totalLines: 1, kept: [], omitted: [] })

describe("an explanation", () => {
  it("says in the order of the file why each line is shown and which are not", () => {
    expect(explainedText(makeProjection())).toBe([
      "Exit code 1.",
      "1: start",
      "[… 1499 lines not shown …]",
      "1501: error: bad",
      "1502: done",
      "",
      "Why: process_diagnostics, selection; 3 of 1,502 lines shown, in 36 bytes.",
      "  1       the first line",
      "  2-1500  not shown (1,499 lines)",
      "  1501    an error",
      "  1502    the last line",
      ""
    ].join("\n"))
  })

  it("of what fits, or of nothing, says so and lists no line", () => {
    expect(explainedText(whole)).toBe("Output (1 line, 4 bytes):\none\n\nWhy: process_diagnostics, unchanged; the whole output fits.\n")
    expect(explainedText(makeProjection({ ...whole, text: "Failed.", totalLines: 0, strategy: "terminal-outcome" }))).toBe(
      "Failed.\n\nWhy: process_diagnostics, terminal-outcome; there is no output.\n"
    )
  })

  it("shows the stored text where that is another one, behind what is to be known of it", () => {
    const document = makeProjection({
      ...whole,
      storedText: "Output:\nold",
      warnings: [{ code: "projection-differs", text: "It is another\none." }]
    })
    expect(explainedText(document)).toMatch(/ fits\.\nNote: It is another\\x0aone\.\n\nThe stored text:\nOutput:\nold\n$/)
  })

  it("lets no control sequence through", () => {
    const esc = "\u001b[2J\u0007"
    const document = makeProjection({ text: esc, storedText: esc, kept: [{ line: 1, why: esc }], warnings: [{ code: "w", text: esc }] })
    for (const text of [explainedText(document), projectionText(document)]) expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  })
})
