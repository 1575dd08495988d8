import { defineConfig, mergeConfig } from "vitest/config"
import { projectTests } from "../../vitest.shared.ts"

/** No test changes a module's state, so the libraries are loaded once for all files. */
export default mergeConfig(projectTests, defineConfig({ test: { isolate: false } }))
