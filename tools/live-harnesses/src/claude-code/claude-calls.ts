/** Calls of Claude Code's own tools, as a model asks for them; the coordinate of its sessions. */
import { called } from "../scenario.ts"

export const bash = (command: string, id?: string) => called("Bash", { command, description: "Run a command" }, id)
export const task = called("Task", { description: "Count files", prompt: "Count the files for me", subagent_type: "general-purpose", run_in_background: false }, "call_parent")
/** Of its init or its result. */
export const coordinateOf = (message: { readonly [key: string]: unknown }): string => String(message["session_id"])
