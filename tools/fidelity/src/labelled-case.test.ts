import { describe, expect, it } from "vitest"
import { caseSets, type Label } from "./labelled-case.ts"
import { ShownText } from "./shown-text.ts"

const sets = caseSets()
const cases = sets.flatMap(({ cases, name }) => cases.map((labelled) => ({ id: `${name}/${labelled.id}`, labelled })))

it("both sets are there, and no case twice", () => {
  expect(sets.map(({ cases, name }) => [name, cases.length >= 39])).toEqual([["cases", true], ["more-cases", true]])
  expect(new Set(cases.map(({ labelled }) => labelled.id)).size).toBe(cases.length)
})

describe.each(cases)("$id", ({ labelled }) => {
  it("has the lines and bytes that it says", () => {
    const newlines = labelled.text.split("\n").length - 1
    expect(labelled.output.length).toBe(labelled.bytes)
    expect(labelled.lines).toBe(newlines + (labelled.text.endsWith("\n") ? 0 : 1))
  })

  it("has labels that stand in its output", () => {
    const shown = new ShownText(labelled.text)
    const isAbsent = ({ fragment, text }: Label) => !shown.holds(text, fragment)
    expect([...labelled.mustKeep, ...labelled.shouldKeep, ...labelled.decoys].filter(isAbsent)).toEqual([])
  })

  it("names no home and no host of where it was made", () => {
    const hosts = [...labelled.text.matchAll(/\bhttps?:\/\/([\w.-]+)/g)].map(([, host = ""]) => host)
    const known = /^(127\.0\.0\.1|([\w-]+\.)?example\.com|registry\.npmjs\.org|github\.com|(gcc\.)?gnu\.org|nodejs\.org|webpack\.js\.org|www\.shellcheck\.net)$/
    expect(hosts.filter((host) => !known.test(host))).toEqual([])
    expect(labelled.cwd).toMatch(/^\/srv\//)
    expect(labelled.text).not.toMatch(/(^|[\s"'(=])\/root\//)
  })
})
