/** Which scenarios are played with which program. */
import { claudeControl } from "./claude-code/control-scenarios.ts"
import { claudeNotices } from "./claude-code/notice-scenarios.ts"
import { claudeWork } from "./claude-code/work-scenarios.ts"
import { codexControl } from "./codex/control-scenarios.ts"
import { codexWork } from "./codex/work-scenarios.ts"
import type { HarnessProgram } from "./harness-program.ts"
import { opencodeControl } from "./opencode/control-scenarios.ts"
import { opencodeWork } from "./opencode/work-scenarios.ts"
import type { Scenario } from "./scenario.ts"

export const scenariosOf: Readonly<Record<HarnessProgram["id"], ReadonlyArray<Scenario>>> = {
  "claude-code": [...claudeWork, ...claudeControl, ...claudeNotices],
  "codex": [...codexWork, ...codexControl],
  "opencode": [...opencodeWork, ...opencodeControl]
}
