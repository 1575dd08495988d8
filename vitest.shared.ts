import { defineConfig } from "vitest/config"

/** The one test configuration of every project. */
export const projectTests = defineConfig({
  test: {
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: "forks",
    passWithNoTests: false
  }
})
