import nx from "@nx/eslint-plugin"
import tseslint from "typescript-eslint"
import { moduleBoundaryConstraints, stenoPlugin } from "./tools/boundaries/src/index.ts"

const tests = ["**/*.test.ts", "**/src/testing.ts", "**/src/testing/**", "**/tests/**", "tools/**"]

export default tseslint.config(
  { ignores: ["**/node_modules/**", "**/dist/**", "**/.tmp/**", "**/.nx/**", "**/schema/**"] },
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: "error" } },
  ...tseslint.configs.recommended,
  {
    plugins: { steno: stenoPlugin },
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "max-lines": ["error", { max: 400 }],
      "no-restricted-syntax": ["error", {
        selector: "TSAsExpression > TSAsExpression[typeAnnotation.type='TSUnknownKeyword']",
        message: "A cast through unknown hides what the value is; decode it or narrow it."
      }],
      "no-warning-comments": ["error", { terms: ["todo", "fixme", "xxx"], location: "anywhere" }],
      "steno/module-boundary": "error",
      "steno/named-for-content": "error",
      "steno/owned-power": "error"
    }
  },
  {
    files: ["libs/**/*.ts", "apps/**/*.ts", "apps/**/*.tsx"],
    plugins: { "@nx": nx },
    rules: {
      "@nx/enforce-module-boundaries": ["error", {
        allow: ["../../vitest.shared.ts"],
        depConstraints: moduleBoundaryConstraints,
        enforceBuildableLibDependency: false
      }]
    }
  },
  {
    files: ["libs/**/*.ts"],
    ignores: tests,
    rules: {
      "no-restricted-properties": ["error", { object: "Date", property: "now", message: "Read the time from Clock or DateTime." }]
    }
  },
  { files: tests, rules: { "max-lines": "off" } },
  { files: ["**/*.cjs"], rules: { "@typescript-eslint/no-require-imports": "off" } }
)
