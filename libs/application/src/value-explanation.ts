/**
 * Explains what a model saw of a call whose result is a value.
 *
 * Owns: which file holds a whole result and how it is offered; making the projection again from what is stored.
 * Limits: pure. A result that fitted is stored nowhere but in its text: that text is the explanation.
 */
import type { Asset, CallArguments, ProjectionDocument, ToolCallResponse } from "@steno/contracts"
import { isOutputTool, projectionDocument, projectValue, type RegisteredFile, toolPolicies, type ValueCall } from "@steno/result-projection"
import { leavesAllAsItWas } from "@steno/tool-catalog"
import { denialOf } from "./projected-call.ts"

/** The whole result of a call whose text for a model left something out. */
export const resultFileName = "result.json"

/** How that file is offered to a model. `home` is absolute. */
export const resultFile = (home: string, { path, sizeBytes }: Pick<Asset, "path" | "sizeBytes">): RegisteredFile => ({
  path: `${home}/${path}`,
  label: "complete result",
  role: "recovery",
  format: "json",
  sizeBytes,
  tools: ["read", "grep"],
  complete: true
})

/** Undefined: all of the result was shown, or there was none. */
export const resultAsset = (assets: ReadonlyArray<Asset>): Asset | undefined =>
  assets.find(({ category, path }) => category === "payload" && path.endsWith(`/${resultFileName}`))

/** A call of ours that failed without having changed anything, so that its text does not say it may have. */
export const changedNothing = ({ origin, outcome, reason }: Pick<ToolCallResponse, "origin" | "outcome" | "reason">): boolean =>
  origin !== "observed" && outcome === "failed" && reason !== undefined && leavesAllAsItWas(reason.code)

const valueCallOf = (response: ToolCallResponse, args: CallArguments | undefined): ValueCall => {
  const { durationMs, origin, outcome, reason, tool } = response
  const denial = denialOf(response)
  return {
    tool,
    origin: origin === "observed" ? "client" : origin,
    end: {
      outcome,
      ...(reason === undefined ? {} : { reason }),
      ...(denial === undefined ? {} : { denial }),
      ...(durationMs === undefined || changedNothing(response) ? { begun: false } : {})
    },
    ...(durationMs === undefined ? {} : { durationMs }),
    arguments: args ?? {}
  }
}

const profileOf = (tool: string): string => {
  const policy = Object.entries(toolPolicies).find(([name]) => name === tool)?.[1]
  return policy?.kind === "value" ? policy.profiles[0] : "conservative_fallback"
}

/** A text that is all of its result. */
const wholeText = (tool: string, text: string): ProjectionDocument => {
  const totalLines = text === "" ? 0 : text.replace(/\n$/, "").split("\n").length
  const totalBytes = new TextEncoder().encode(text).length
  return {
    family: "projection",
    text,
    fits: true,
    profile: profileOf(tool),
    strategy: "unchanged",
    totalLines,
    totalBytes,
    payloadLines: totalLines,
    payloadBytes: totalBytes,
    kept: [],
    omitted: []
  }
}

export interface StoredResult {
  readonly asset: Asset
  /** As the tool returned it. */
  readonly value: unknown
}

/** A tool inside Steno answered with a value. */
export const hasValue = ({ agentProjection, tool }: ToolCallResponse): boolean => agentProjection !== undefined && !isOutputTool(tool)

/** @param stored the whole result, where it has a file */
export const explainValue = (
  response: ToolCallResponse,
  args: CallArguments | undefined,
  home: string,
  stored: StoredResult | undefined
): ProjectionDocument => {
  const call = valueCallOf(response, args)
  if (stored !== undefined) {
    return projectionDocument(projectValue({ ...call, result: stored.value, files: [resultFile(home, stored.asset)] }))
  }
  const text = response.agentProjection ?? ""
  const withoutResult = projectValue(call)
  return withoutResult.agent === text ? projectionDocument(withoutResult) : wholeText(response.tool, text)
}
