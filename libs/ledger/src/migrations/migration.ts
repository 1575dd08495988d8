/** One step of the schema: applied once, never edited after its release. */
export interface Migration {
  /** Consecutive from 1. */
  readonly version: number
  readonly name: string
  /** Statements run in the transaction of the migration. */
  readonly sql: string
}
