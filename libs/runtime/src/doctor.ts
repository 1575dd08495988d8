/**
 * Looks at a home and says what is wrong with it, each finding with a remedy.
 *
 * Owns: the findings of `doctor`. Changes nothing (home-repair does).
 */
import { type DoctorDocument, type DoctorFinding, type HomeConfig } from "@steno/contracts"
import { databaseHealth } from "@steno/ledger"
import { Effect } from "effect"
import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs"
import { delimiter, join } from "node:path"
import { databaseFile } from "./database-file.ts"
import { readHomeConfig } from "./home-config.ts"
import { recordFindings } from "./record-findings.ts"
import { isEmptied, sessionFolders } from "./session-folders.ts"

const defaultMinFreeBytes = 256 * 1024 * 1024

/** A write-ahead log is used anew after a few MiB; it gets this long only while somebody keeps a transaction open. */
const longJournalBytes = 64 * 1024 * 1024

const ok = (code: string, subject: string, explanation: string): DoctorFinding => ({ code, severity: "ok", subject, explanation })
const finding = (
  severity: "warning" | "error",
  code: string,
  subject: string,
  explanation: string,
  remediation: string
): DoctorFinding => ({ code, severity, subject, explanation, remediation })

const canWrite = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK | constants.W_OK)
    return true
  } catch {
    return false
  }
}

const homeFindings = (home: string): ReadonlyArray<DoctorFinding> => {
  const stat = statSync(home, { throwIfNoEntry: false })
  if (stat === undefined) return [ok("home", home, "There is no home yet; the first Run makes it.")]
  if (!stat.isDirectory()) {
    return [finding("error", "home", home, "The home is not a folder.", "Name a folder with --home or STENO_HOME.")]
  }
  return [
    canWrite(home)
      ? ok("home", home, "The home can be read and written.")
      : finding("warning", "home", home, "The home can only be read: Runs are shown, new ones are refused.", "Make it writable for this user, or use another home.")
  ]
}

const permissionFindings = (home: string): ReadonlyArray<DoctorFinding> =>
  ["data", "core.sqlite", "config", "secrets"].map((name) => join(home, name)).filter((path) => existsSync(path)).map((path) => {
    const mode = statSync(path).mode & 0o777
    return (mode & 0o077) === 0
      ? ok("permissions", path, `Closed to other users (mode ${mode.toString(8)}).`)
      : finding("error", "permissions", path, `Open to other users (mode ${mode.toString(8)}).`, `Close it with \`chmod go= ${JSON.stringify(path)}\`.`)
  })

const repairRemedy = "Repair it with `steno doctor --repair`: it keeps a copy, saves every row that can be read, and names what is lost."

const damageFinding = (file: string, explanation: string): DoctorFinding => finding("error", "database", file, explanation, repairRemedy)

const databaseFindings = (home: string) => {
  const file = databaseFile(home)
  if (isEmptied(home)) {
    return Effect.succeed([damageFinding(file, `The database is missing or empty, while Sessions have files: ${sessionFolders(home).join(", ")}.`)])
  }
  const folders = sessionFolders(home)
  return databaseHealth(file).pipe(
    Effect.map((health): ReadonlyArray<DoctorFinding> => {
      if (health === undefined) return [ok("database", file, "There is no database yet; the first Run makes it.")]
      const { damage, knownSchemaVersion, schemaVersion, sqliteVersion, walBytes } = health
      return [
        damage.length === 0
          ? ok("database", file, "The integrity check found nothing.")
          : damageFinding(file, `The integrity check found: ${damage.join("; ")}`),
        schemaVersion === undefined || schemaVersion <= knownSchemaVersion
          ? ok("schema", file, `Schema ${schemaVersion ?? "none"}; this release knows ${knownSchemaVersion}.`)
          : finding("error", "schema", file, `Schema ${schemaVersion} is of a newer release; this one knows ${knownSchemaVersion}.`, "Use that release, or another home."),
        ...(schemaVersion === knownSchemaVersion && damage.length === 0 ? recordFindings(home, folders, health) : []),
        ok("sqlite", "SQLite", `Version ${sqliteVersion}.`),
        walBytes <= longJournalBytes
          ? ok("journal", `${file}-wal`, `${walBytes} bytes are in the write-ahead log.`)
          : finding("warning", "journal", `${file}-wal`, `${walBytes} bytes are in the write-ahead log: another program keeps a transaction open on the database.`, `Find it with \`fuser ${JSON.stringify(file)}\` and close it; the log becomes short with the next Runs.`)
      ]
    }),
    Effect.catch((error) =>
      Effect.succeed(error.reason._tag === "StorageDamaged" ? [damageFinding(file, `${error.message}.`)] : [
        finding("error", "database", file, `The database cannot be read: ${error.message}.`, "Check the file and its permissions.")
      ])
    )
  )
}

const nearestExisting = (path: string): string => {
  let existing = path
  while (!existsSync(existing)) existing = join(existing, "..")
  return existing
}

const spaceFinding = (home: string, { minFreeBytes = defaultMinFreeBytes }: HomeConfig): DoctorFinding => {
  const place = nearestExisting(home)
  const { bavail, bsize } = statfsSync(place)
  const freeBytes = bavail * bsize
  return freeBytes >= minFreeBytes
    ? ok("space", place, `${freeBytes} bytes are free.`)
    : finding("error", "space", place, `${freeBytes} bytes are free; a new command starts only with ${minFreeBytes}.`, "Free some space there, lower minFreeBytes in config/steno.json, or use another home.")
}

const shellFinding = (path: string): DoctorFinding => {
  const shell = ["bash", "sh"].flatMap((name) => path.split(delimiter).map((folder) => join(folder, name))).find((file) => existsSync(file))
  return shell === undefined
    ? finding("error", "harness", "command", "No bash and no sh is on the PATH.", "Install bash, or correct the PATH.")
    : ok("harness", "command", `Commands are run by ${shell}.`)
}

/** @param path the person's PATH */
export const examineHome = Effect.fn("examineHome")(function*(home: string, path: string) {
  const config = yield* Effect.result(readHomeConfig(home))
  const configFinding = config._tag === "Success"
    ? ok("config", join(home, "config", "steno.json"), "The configuration is valid, or absent.")
    : finding("error", "config", join(home, "config", "steno.json"), config.failure.problem.explanation, config.failure.problem.remediation)
  const findings = [
    ...homeFindings(home),
    ...permissionFindings(home),
    configFinding,
    ...(yield* databaseFindings(home)),
    spaceFinding(home, config._tag === "Success" ? config.success : {}),
    shellFinding(path)
  ]
  const document: DoctorDocument = {
    family: "doctor",
    ok: findings.every((one) => one.severity !== "error"),
    findings
  }
  return document
})
