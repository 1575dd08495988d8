import { projectTests } from "../../vitest.shared.ts"

export default projectTests
