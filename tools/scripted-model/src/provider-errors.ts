/**
 * What providers call an error of a status.
 *
 * Owns: the words for each status, per provider.
 */

const anthropicTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error"
}

export const anthropicError = (status: number, message: string) => ({
  type: "error",
  error: { type: anthropicTypes[status] ?? (status < 500 ? "invalid_request_error" : "api_error"), message }
})

const openaiCodes: Readonly<Record<number, string>> = {
  401: "invalid_api_key",
  404: "model_not_found",
  429: "rate_limit_exceeded",
  503: "server_is_overloaded",
  529: "server_is_overloaded"
}

const openaiType = (status: number): string => {
  if (status === 429) return "rate_limit_error"
  return status < 500 ? "invalid_request_error" : "server_error"
}

export const openaiErrorCode = (status: number): string | null => openaiCodes[status] ?? null

export const openaiError = (status: number, message: string) => ({
  error: { message, type: openaiType(status), param: null, code: openaiErrorCode(status) }
})
