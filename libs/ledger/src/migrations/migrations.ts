/** The migrations this release knows, by version. */
import { firstTables } from "./0001-first-tables.ts"
import { burial } from "./0002-burial.ts"
import { hostedCalls } from "./0003-hosted-calls.ts"
import type { Migration } from "./migration.ts"

export const migrations: ReadonlyArray<Migration> = [firstTables, burial, hostedCalls]
