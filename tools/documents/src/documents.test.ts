import { basename } from "node:path"
import { describe, expect, it } from "vitest"
import { brokenLink, documents, headingsOf, linksOf, projectFolders } from "./markdown-document.ts"

const all = documents()
const decisions = all.filter(({ path }) => path.startsWith("docs/adr/")).sort((a, b) => a.path.localeCompare(b.path))
const lineCount = (text: string) => text.trimEnd().split("\n").length

describe("every document", () => {
  it.each(all)("$path links only to what exists", (document) => {
    expect(linksOf(document).flatMap((link) => brokenLink(document, link) ?? [])).toEqual([])
  })

  it("is found: root, docs, decisions and projects", () => {
    const paths = all.map(({ path }) => path)
    expect(paths).toEqual(expect.arrayContaining(["CONTRIBUTING.md", "docs/glossary.md", "docs/architecture.md"]))
    expect(decisions.length).toBeGreaterThan(0)
  })
})

describe("a decision", () => {
  it.each(decisions)("$path is named by number and imperative, and has its sections in order in at most 60 lines", (document) => {
    const name = basename(document.path, ".md")
    expect(name).toMatch(/^\d{4}(-[a-z0-9]+)+$/)
    expect(headingsOf(document, 1).map((heading) => heading.slice(0, 5))).toEqual([`${name.slice(0, 4)} `])
    expect(document.text).toMatch(/^\*\*Status\*\* (accepted|superseded by \[)/m)
    expect(headingsOf(document, 2)).toEqual(["Context", "Decision", "Rejected", "Consequences", "Enforced by"])
    expect(lineCount(document.text)).toBeLessThanOrEqual(60)
  })

  it("has the number after the one before", () => {
    expect(decisions.map(({ path }) => Number(basename(path).slice(0, 4)))).toEqual(decisions.map((_, index) => index + 1))
  })
})

describe("the README of a library", () => {
  it.each(projectFolders("libs"))("%s has one of at most 60 lines that says what it owns and never owns", (folder) => {
    const readme = all.find(({ path }) => path === `${folder}/README.md`)
    expect(readme, "README.md is missing").toBeDefined()
    expect(lineCount(readme?.text ?? "")).toBeLessThanOrEqual(60)
    expect(readme?.text).toMatch(/owns/i)
    expect(readme?.text).toMatch(/never owns/i)
  })
})

describe("a broken link", () => {
  const document = { path: "docs/adr/x.md", text: "[a](../glossary.md) [b](../none.md) [c](../architecture.md#nowhere) `[d](e.md)` [f](https://g.example)" }
  it("is one whose file or heading is missing; code and the web are left alone", () => {
    expect(linksOf(document)).toEqual(["../glossary.md", "../none.md", "../architecture.md#nowhere"])
    expect(linksOf(document).map((link) => brokenLink(document, link))).toEqual([
      undefined,
      "../none.md does not exist",
      "../architecture.md#nowhere has no such heading"
    ])
    expect(brokenLink(document, "../architecture.md#boundaries")).toBeUndefined()
    expect(brokenLink(document, "../../../elsewhere")).toBe("../../../elsewhere leads out of the workspace")
  })
})
