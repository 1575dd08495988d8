/**
 * The JSON Schemas generated to `schema/`, by file name.
 *
 * Owns: which shapes are frozen for scripts.
 */
import { Schema } from "effect"
import { CallOutputDocument } from "./call/call-output.schema.ts"
import { ProjectionDocument } from "./call/projection.schema.ts"
import { durableEvents } from "./event/event-manifest.ts"
import { HarnessCatalog } from "./harness/harness.schema.ts"
import { OperationDocument } from "./operation/operation.schema.ts"
import { PolicyConfirmation, PolicyDocument } from "./policy/policy.schema.ts"
import { Problem } from "./problem/problem.schema.ts"
import { DoctorDocument, GcDocument } from "./home/home.schema.ts"
import { ModelScript } from "./script/script.schema.ts"
import { RunExport, TranscriptDocument } from "./transcript/transcript.schema.ts"
import { RunDocument, RunListDocument } from "./run/run.schema.ts"

const frozenShapes: ReadonlyArray<readonly [name: string, schema: Schema.Top]> = [
  ["problem", Problem],
  ["run", RunDocument],
  ["run-list", RunListDocument],
  ["call-output", CallOutputDocument],
  ["projection", ProjectionDocument],
  ["operation", OperationDocument],
  ["transcript", TranscriptDocument],
  ["run-export", RunExport],
  ["doctor", DoctorDocument],
  ["gc", GcDocument],
  ["harness-catalog", HarnessCatalog],
  ["script", ModelScript],
  ["policy", PolicyDocument],
  ["policy-confirmation", PolicyConfirmation],
  ...durableEvents.map((event) => [`event.${event.type}.${event.version}`, event.payload] as const)
]

/** File name to the text of its JSON Schema (draft 2020-12), newline at the end. */
export const renderJsonSchemas = (): ReadonlyMap<string, string> =>
  new Map(frozenShapes.map(([name, schema]) => {
    const document = Schema.toJsonSchemaDocument(schema)
    const root = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      title: name,
      ...document.schema,
      ...(Object.keys(document.definitions).length > 0 ? { $defs: document.definitions } : {})
    }
    return [`${name}.json`, `${JSON.stringify(root, null, 2)}\n`]
  }))
