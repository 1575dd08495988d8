/** Kinds of frames that are known and tell nothing of their own, beside what others tell. */
import type { SteerState } from "./turn-fact.ts"

export const silentKinds: ReadonlySet<unknown> = new Set(["conversation_reset", "rate_limit_event"])

/** Of the frames `system`. */
export const silentSystem: ReadonlySet<string> = new Set([
  "status",
  "thinking_tokens",
  "task_started",
  "task_progress",
  "task_updated",
  "task_notification",
  "background_tasks_changed",
  "compact_boundary",
  "hook_started",
  "hook_progress",
  "hook_response"
])

/** Of the model's own events. */
export const silentEvents: ReadonlySet<string> = new Set(["message_delta", "message_stop", "ping"])

const steerStates: ReadonlySet<unknown> = new Set<SteerState>(["queued", "started", "cancelled"])

/** States of a user message that change something; `completed` is not one of them. */
export const isSteerState = (state: unknown): state is SteerState => steerStates.has(state)
