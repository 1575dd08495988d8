export { homePath, openHome } from "./home.ts"
export type { HomeEnvironment, OpenedHome } from "./home.ts"
export { coreLayer, runtimeLayer } from "./runtime-layer.ts"
export type { RuntimeOptions } from "./runtime-layer.ts"
