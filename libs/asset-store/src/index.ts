export { AssetStore } from "./asset-store.ts"
export type { AssetToWrite, ImageToWrite, SpaceRequest, StoredAsset, StoredImage, SweepOptions, Swept } from "./asset-store.ts"
export { ownerFolder } from "./asset-path.ts"
export type { AssetOwner } from "./asset-path.ts"
export {
  AlreadyExists,
  AssetStoreError,
  AssetStoreReason,
  DigestMismatch,
  ForeignOwner,
  ImageTooLarge,
  InvalidName,
  NotAnImage,
  NotFound,
  NotRegular,
  OpenToOthers,
  RangeInvalid,
  StorageFailed,
  StorageFull,
  SymlinkOnTheWay
} from "./asset-store-errors.ts"
export type { SpaceAnswer, SpaceLimit } from "./storage-space.ts"
export type { Known } from "./sweep.ts"
export type { TreeAmount } from "./tree-amount.ts"
export type { AssetReader, ByteRange, RecordedFile } from "./verified-file.ts"
