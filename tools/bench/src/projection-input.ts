/**
 * Outputs of which every line holds an error word, for measuring a projection.
 *
 * Owns: the words, and files in which they stand on every line.
 * Limits: the same files every time.
 */
import { closeSync, openSync, writeSync } from "node:fs"

/** For `grep -E`. */
export const errorWords = "error|fatal|failed|exception|panic|traceback|undefined reference|not found|permission denied|killed|out of memory|timed out|not ok|warning|deprecated"

const parts = ["account", "billing", "cart", "checkout", "customer", "inventory", "ledger", "order", "pricing", "shipment", "widget"]
const part = (index: number): string => parts[index % parts.length] ?? "part"

type Message = (index: number) => string

const messages: ReadonlyArray<Message> = [
  (index) => `src/${part(index)}/${part(index * 7)}-${index % 977}.ts(${index % 400 + 1},${index % 80 + 1}): error TS2339: Property '${part(index * 3)}' does not exist on type 'Order'.`,
  (index) => `/srv/app/${part(index)}/${part(index * 5)}.c:${index % 2_000}:${index % 90}: warning: unused variable '${part(index * 11)}_${index % 13}' [-Wunused-variable]`,
  (index) => `2026-11-30T11:${String(index % 60).padStart(2, "0")}:07.${String(index % 1_000).padStart(3, "0")}Z [worker-${index % 16}] request ${index} failed: upstream timed out after ${index % 30_000} ms`,
  (index) => `{"level":"error","time":${1_796_000_000_000 + index},"pid":${index % 32_768},"job":"${part(index)}","msg":"job ${index} killed: out of memory"}`,
  (index) => `not ok ${index} - ${part(index)} handles ${part(index * 2)} of ${index % 97} items`,
  (index) => `/usr/bin/ld: build/${part(index)}.o: in function \`${part(index * 3)}_init': undefined reference to \`${part(index * 13)}_${index % 331}'`,
  (index) => `    at ${part(index)}.process (/srv/app/src/${part(index * 2)}.js:${index % 900}:${index % 70}) caused by exception 0x${(index * 2_654_435_761 % 4_294_967_296).toString(16)}`,
  (index) => `fatal: ${part(index)}/${index}: permission denied`
]

const atMost = 65_536

/** Writes lines until `done` says so; the file ends with a whole line. */
const writeLines = (path: string, line: Message, done: (bytes: number, lines: number) => boolean): void => {
  const file = openSync(path, "w")
  let block = ""
  let bytes = 0
  let lines = 0
  while (!done(bytes, lines)) {
    const next = `${line(lines++)}\n`
    block += next
    bytes += next.length
    if (block.length >= atMost) {
      writeSync(file, block)
      block = ""
    }
  }
  writeSync(file, block)
  closeSync(file)
}

export const writeVariedLines = (path: string, size: number): void =>
  writeLines(path, (index) => (messages[index % messages.length] ?? String)(index), (bytes) => bytes >= size)

export const writeManyLines = (path: string, count: number): void =>
  writeLines(path, (index) => `error: ${part(index)} ${index} failed`, (_, lines) => lines === count)

/** One line without an end, a list of records as a reporter prints them. */
export const writeOneLine = (path: string, size: number): void => {
  const file = openSync(path, "w")
  let bytes = writeSync(file, "[")
  for (let index = 0; bytes < size; index++) {
    const record = `{"file":"src/${part(index)}-${index}.ts","severity":${index % 500 === 499 ? "\"error\"" : "\"warning\""},"message":"${part(index * 3)} is deprecated","line":${index % 900}},`
    bytes += writeSync(file, record.slice(0, size - bytes))
  }
  closeSync(file)
}
