/** Token counts as Codex reports them: those of the last request fill the context, the total is usage. Nothing is calculated. */
import type { PlainReport } from "@steno/harness-seam"
import { isLimit, isTokens, isTokenUsage } from "./codex-notification.ts"

/** A malformed report says nothing. */
export const tokenReports = (params: unknown): ReadonlyArray<PlainReport> => {
  if (!isTokenUsage(params)) return []
  const { last, total } = params.tokenUsage
  const limit: unknown = Reflect.get(params.tokenUsage, "modelContextWindow")
  const limitTokens = isLimit(limit) ? { limitTokens: limit } : {}
  return [
    ...(isTokens(last) ? [{ type: "context" as const, report: { usedTokens: last.totalTokens, ...limitTokens } }] : []),
    ...(isTokens(total) ? [{ type: "usage" as const, report: { usedTokens: total.totalTokens } }] : [])
  ]
}
