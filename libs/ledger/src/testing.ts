/** What tests of the ledger, and of what stands on it, share: sample facts and the suite every engine passes. */
export { ledgerContractSuite } from "./testing/ledger-contract-suite.ts"
export {
  sampleAdmission,
  sampleAdmitted,
  sampleApproval,
  sampleAsset,
  sampleCall,
  sampleId,
  sampleInstant,
  sampleOperation,
  sampleOwner,
  sampleProposal,
  sampleResolution,
  sampleResponse,
  sampleSettlement,
  sampleSteer
} from "./testing/sample-facts.ts"
