/**
 * Reads `config/steno.json` of a home.
 *
 * Owns: the refusal of a file that is no such configuration, `config-invalid`.
 */
import { makeProblem } from "@steno/application/problems"
import { HomeConfig } from "@steno/contracts"
import { Effect, Predicate, Schema } from "effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(HomeConfig), { onExcessProperty: "error", errors: "all" })

/** Every key absent when there is no file. Fails with `config-invalid`, naming the key. */
export const readHomeConfig = Effect.fn("readHomeConfig")(function*(home: string) {
  const path = join(home, "config", "steno.json")
  const invalid = (explanation: string) =>
    makeProblem(
      "config-invalid",
      `The configuration ${path} is not valid: ${explanation}`,
      "Correct the file, or remove it to use the defaults. Known keys: defaultHarness, models.default, "
        + "models.openaiCompatible.baseUrl, harnesses.ID.command, maxCalls, sessionQuotaBytes, minFreeBytes, retentionDays. "
        + "ID has lower-case letters, digits and dashes, and is neither command nor hosted.",
      { details: { path } }
    )
  const text = yield* Effect.try({
    try: () => readFileSync(path, "utf8"),
    catch: (error) => error
  }).pipe(Effect.catch((error) =>
    Predicate.hasProperty(error, "code") && (error.code === "ENOENT" || error.code === "ENOTDIR")
      ? Effect.succeed("{}")
      : Effect.fail(invalid("it could not be read."))
  ))
  return yield* decode(text).pipe(Effect.mapError((error) => invalid(error.message)))
})
