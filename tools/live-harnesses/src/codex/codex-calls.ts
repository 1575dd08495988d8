/** Calls of Codex's own tools, as a model asks for them. */
import { called, calledWithText } from "../scenario.ts"

export const command = (cmd: string, id?: string) => called("exec_command", { cmd }, id)
export const escalated = (cmd: string) => called("exec_command", { cmd, sandbox_permissions: "require_escalated", justification: "May I?" })
export const patch = (...lines: ReadonlyArray<string>) => calledWithText("apply_patch", ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"))
