/**
 * Replaces what writes in `node:fs` by functions that fail where the plan says so.
 *
 * Loaded with `--import`, before the program: some of it keeps the functions it finds when it starts.
 * Owns: which operations write, their names in the trace; sync, callback and promise forms.
 * Limits: only paths and descriptors below the home, found by `/proc/self/fd`; what SQLite writes itself is the ledger's side.
 */
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { getSystemErrorMap } from "node:util"
import { type FaultInjector, makeFaultInjector } from "./fault-injector.ts"
import { type FaultCode, type FaultPlan, planVariable } from "./fault-plan.ts"

type Call = (...given: ReadonlyArray<unknown>) => unknown

const plan: FaultPlan = JSON.parse(process.env[planVariable] ?? "")
delete process.env[planVariable]

/** Shared with the program that was loaded after this module. */
export const injector: FaultInjector = makeFaultInjector(plan)

const readLink = fs.readlinkSync
const { O_ACCMODE, O_CREAT, O_TRUNC, W_OK } = { O_ACCMODE: 3, ...fs.constants }
const ids = /(run|conv|turn|call|op)_[0-9A-Z]{26}/g

/** Path below the home in the words of the trace; undefined elsewhere. */
const below = (path: string): string | undefined => {
  if (path !== plan.home && !path.startsWith(`${plan.home}/`)) return undefined
  const folders = path.slice(plan.home.length + 1).replace(" (deleted)", "").replaceAll(ids, "$1")
  return folders === "" ? "." : folders
}

const pathBelow = (given: unknown): string | undefined => {
  if (typeof given === "string") return below(given)
  if (given instanceof URL) return below(given.pathname)
  return Buffer.isBuffer(given) ? below(given.toString()) : undefined
}

const fileBelow = (given: unknown): string | undefined => {
  if (typeof given !== "number") return undefined
  try {
    return below(readLink(`/proc/self/fd/${given}`))
  } catch {
    return undefined
  }
}

const opensToWrite = (flags: unknown): boolean =>
  typeof flags === "number" ? (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) !== 0 : typeof flags === "string" && !/^r?s?$/.test(flags)

/** What a call writes to, in the words of the trace; undefined: it writes nothing below the home. */
type Target = (given: ReadonlyArray<unknown>) => string | undefined

const first: Target = ([path]) => pathBelow(path)
const second: Target = ([, path]) => pathBelow(path)
const descriptor: Target = ([fd]) => fileBelow(fd)
const opened: Target = ([path, flags]) => opensToWrite(flags) ? pathBelow(path) : undefined
const checked: Target = ([path, mode]) => typeof mode === "number" && (mode & W_OK) !== 0 ? pathBelow(path) : undefined

const byPath: Readonly<Record<string, Target>> = {
  open: opened,
  access: checked,
  mkdir: first,
  mkdtemp: first,
  rmdir: first,
  rm: first,
  unlink: first,
  truncate: first,
  chmod: first,
  utimes: first,
  rename: second,
  copyFile: second,
  link: second,
  symlink: second
}
/** Their callback forms use `open` and `write`, which have faults of their own. */
const wholeFiles: Readonly<Record<string, Target>> = { writeFile: first, appendFile: first }
const byDescriptor: Readonly<Record<string, Target>> = {
  write: descriptor,
  writev: descriptor,
  ftruncate: descriptor,
  fsync: descriptor,
  fdatasync: descriptor,
  fchmod: descriptor,
  futimes: descriptor
}
const ofHandles = ["write", "writev", "writeFile", "appendFile", "truncate", "sync", "datasync", "chmod", "utimes"]

const errorNumbers = new Map([...getSystemErrorMap()].map(([number, [name]]) => [name, number]))

const systemError = (code: FaultCode, operation: string, target: string): Error =>
  Object.assign(new Error(`${code}: a fault of this test, ${operation} ${target}`), {
    code,
    errno: errorNumbers.get(code),
    syscall: operation
  })

/** Calls inside a synchronous one are part of it. */
let depth = 0

const faultOf = (operation: string, target: string | undefined): Error | undefined => {
  if (target === undefined || depth > 0) return undefined
  const code = injector.reach("file", `${operation} ${target}`)
  return code === undefined ? undefined : systemError(code, operation, target)
}

const replace = (owner: object, name: string, make: (original: Call) => Call): void => {
  const original: unknown = Reflect.get(owner, name)
  if (typeof original !== "function") throw new Error(`node:fs has no ${name}`)
  const made = make((...given) => Reflect.apply(original, owner, given))
  // `promisify` finds the shape of a function's answer in a symbol of it.
  for (const symbol of Object.getOwnPropertySymbols(original)) {
    Object.defineProperty(made, symbol, Object.getOwnPropertyDescriptor(original, symbol) ?? {})
  }
  Reflect.set(owner, name, made)
}

const sync = (operation: string, target: Target): void =>
  replace(fs, `${operation}Sync`, (original) => (...given) => {
    const fault = faultOf(operation, target(given))
    if (fault !== undefined) throw fault
    depth += 1
    try {
      return original(...given)
    } finally {
      depth -= 1
    }
  })

const callback = (operation: string, target: Target): void =>
  replace(fs, operation, (original) => (...given) => {
    const fault = faultOf(operation, target(given))
    const answer = given.at(-1)
    if (fault === undefined || typeof answer !== "function") return original(...given)
    setImmediate(() => Reflect.apply(answer, undefined, [fault]))
  })

const withHandleFaults = (handle: unknown): unknown => {
  if (typeof handle !== "object" || handle === null) return handle
  for (const operation of ofHandles) {
    replace(handle, operation, (original) => (...given) => {
      const fault = faultOf(operation, fileBelow(Reflect.get(handle, "fd")))
      return fault === undefined ? original(...given) : Promise.reject(fault)
    })
  }
  return handle
}

const promised = (operation: string, target: Target): void =>
  replace(fs.promises, operation, (original) => (...given) => {
    const fault = faultOf(operation, target(given))
    if (fault !== undefined) return Promise.reject(fault)
    const answer = original(...given)
    return operation === "open" && answer instanceof Promise ? answer.then(withHandleFaults) : answer
  })

for (const [operation, target] of Object.entries({ ...byPath, ...wholeFiles, ...byDescriptor })) sync(operation, target)
for (const [operation, target] of Object.entries({ ...byPath, ...byDescriptor })) callback(operation, target)
for (const [operation, target] of Object.entries({ ...byPath, ...wholeFiles })) promised(operation, target)
syncBuiltinESMExports()
