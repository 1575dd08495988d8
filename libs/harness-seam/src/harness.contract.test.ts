import { describeHarnessConformance } from "./testing/harness-conformance.ts"
import { fakeMaker } from "./testing/fake-conformance.ts"

describeHarnessConformance("the scripted fake", fakeMaker)
