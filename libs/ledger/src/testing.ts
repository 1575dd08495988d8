/** What tests of the ledger, and of what stands on it, share: sample facts and the suite every engine passes. */
export { ledgerContractSuite } from "./testing/ledger-contract-suite.ts"
export {
  sampleAdmission,
  sampleAsset,
  sampleCall,
  sampleId,
  sampleInstant,
  sampleOperation,
  sampleOwner,
  sampleResponse,
  sampleSettlement
} from "./testing/sample-facts.ts"
