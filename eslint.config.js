import tseslint from "typescript-eslint"

export default tseslint.config(
  { ignores: ["**/node_modules/**", "**/dist/**", "**/.tmp/**", "**/.nx/**", "**/schema/**"] },
  ...tseslint.configs.recommended,
  {
    rules: {
      "@typescript-eslint/consistent-type-imports": ["error", { fixStyle: "inline-type-imports" }],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "no-warning-comments": ["error", { terms: ["todo", "fixme", "xxx"], location: "anywhere" }]
    }
  },
  {
    files: ["**/*.ts", "**/*.tsx", "**/*.js", "**/*.cjs"],
    ignores: ["**/*.test.ts"],
    rules: { "max-lines": ["error", { max: 400 }] }
  },
  { files: ["**/*.cjs"], rules: { "@typescript-eslint/no-require-imports": "off" } }
)
