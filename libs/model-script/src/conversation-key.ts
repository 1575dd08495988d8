/**
 * Which conversation a request belongs to, where nothing else says so.
 *
 * Limits: two conversations that begin with the same words of a user have one key.
 */
import { createHash } from "node:crypto"
import type { RequestFacts } from "./request-facts.ts"

/** 16 hexadecimal digits of the first user text; it stays as a conversation grows and its system prompt changes. */
export const conversationKey = ({ messages }: RequestFacts): string =>
  createHash("sha256").update(messages.find(({ role }) => role === "user")?.text ?? "").digest("hex").slice(0, 16)
