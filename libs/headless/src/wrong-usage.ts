/** Wrong usage that the parser of the command line cannot see: options that exclude each other, malformed values. */
import { Schema } from "effect"

export class WrongUsage extends Schema.TaggedError<WrongUsage>()("WrongUsage", {
  explanation: Schema.String,
  /** Names of the options and arguments it is about, without dashes; absent: the line as a whole. */
  fields: Schema.optionalKey(Schema.Array(Schema.String)),
  /** As typed: `["steno", "run", "read"]`. */
  commandPath: Schema.Array(Schema.String)
}) {
  override get message() {
    return this.explanation
  }
}
