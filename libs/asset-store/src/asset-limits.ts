/** Limits of managed files, each with its unit in the name. */
const kibibyte = 1024
const mebibyte = 1024 * kibibyte

export const assetLimits = {
  /** Largest single read, write and digest step; a range never holds more in memory. */
  stepBytes: 256 * kibibyte,
  /** One part of a name. */
  nameBytes: 255,
  /** A whole relative name. */
  relativeNameBytes: 1_024,
  ownerIdCharacters: 128,
  /** Files without rows are swept when nothing changed them for this long. */
  orphanAgeMs: 3_600_000,
  /** Entries judged or removed before the event loop has its turn. */
  entriesPerTick: 256,
  /** Verified files that are remembered. */
  verifiedFiles: 1_024,
  /** Below this age a file's times cannot yet tell that it was changed again, so its verification is not remembered. */
  unsettledTimesMs: 100,
  imageBytes: 20_000_000,
  imagePixels: 50_000_000,
  /** How much of an image is looked at for its size in pixels. */
  imageHeaderBytes: 512 * kibibyte,
  /** Faults of a sweep that are listed. */
  listedFaults: 20
} as const

/** Defaults of the settings. */
export const spaceDefaults = {
  sessionQuotaBytes: 4 * 1024 * mebibyte,
  minFreeBytes: 256 * mebibyte
} as const
