/**
 * How the command line is bundled, so that it starts fast.
 *
 * Owns: what lies together in one file. What every start needs is one beside its entry, what all agents need another: each file that
 * is loaded costs a start up to a millisecond. The rest lies as it is imported, when it is needed.
 * Limits: the text is ASCII, which Node keeps in half the memory. `Intl.Segmenter` is late-segmenter's.
 */
import { fileURLToPath } from "node:url"
import { build, type BuildOptions, type OutputChunk, type Plugin } from "rolldown"

const folder = fileURLToPath(new URL("../", import.meta.url))
const segmenter = fileURLToPath(new URL("late-segmenter.ts", import.meta.url))

const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`

const ascii: Plugin = {
  name: "ascii",
  generateBundle: (_, bundle) => {
    for (const file of Object.values(bundle)) {
      if (file.type === "chunk") file.code = file.code.replace(/[^\u0000-\u007f]/g, escaped)
    }
  }
}

const optionsOf = (input: Readonly<Record<string, string>>): BuildOptions => ({
  cwd: folder,
  input: { ...input },
  platform: "node",
  external: [/^node:/, "@vscode/ripgrep", "better-sqlite3"],
  transform: {
    target: "node22.19",
    define: { "Intl.Segmenter": "LateSegmenter" },
    inject: { LateSegmenter: [segmenter, "LateSegmenter"] }
  },
  plugins: [ascii],
  output: { dir: "dist", format: "esm", minify: true, entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
  logLevel: "warn"
})

/** The modules of the files that one of `roots` imports at once, however far, without its own. */
const importedBy = (chunks: ReadonlyArray<OutputChunk>, roots: ReadonlyArray<string>): ReadonlySet<string> => {
  const byFile = new Map(chunks.map((chunk) => [chunk.fileName, chunk]))
  const found = new Set<OutputChunk>()
  const follow = ({ imports }: OutputChunk): void => {
    for (const chunk of imports.map((file) => byFile.get(file))) {
      if (chunk === undefined || found.has(chunk)) continue
      found.add(chunk)
      follow(chunk)
    }
  }
  chunks.filter(({ name }) => roots.includes(name)).forEach(follow)
  return new Set([...found].filter(({ name }) => !roots.includes(name)).flatMap(({ moduleIds }) => moduleIds))
}

/**
 * @param input entries by name
 * @param together by the name of a file what these files import goes into it, unless it is in an earlier one
 */
export const bundle = async (
  input: Readonly<Record<string, string>>,
  together: Readonly<Record<string, ReadonlyArray<string>>> = {}
): Promise<void> => {
  const options = optionsOf(input)
  const { output } = await build({ ...options, write: false })
  const chunks = output.filter((file) => file.type === "chunk")
  const groups = Object.entries(together).map(([name, roots], at, { length }) => {
    const modules = importedBy(chunks, roots)
    return { name, priority: length - at, test: (id: string) => modules.has(id) }
  })
  await build({ ...options, output: { ...options.output, codeSplitting: { groups } } })
}
