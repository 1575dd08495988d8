/** Where the database of a home lies. */
import { join } from "node:path"

export const databaseFile = (home: string): string => join(home, "core.sqlite")
