export { homePath, openHome } from "./home.ts"
export type { HomeEnvironment, OpenedHome } from "./home.ts"
export { runtimeLayer } from "./runtime-layer.ts"
export type { RuntimeOptions } from "./runtime-layer.ts"
