import { mergeConfig } from "vitest/config"
import { projectTests } from "../../vitest.shared.ts"

export default mergeConfig(projectTests, { test: { globalSetup: "./src/testing/bundled-child.ts" } })
