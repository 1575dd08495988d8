/** Amounts of files, folders and bytes. */

/** What was counted. A file with several names counts its bytes once. */
export interface TreeAmount {
  /** Everything that is no folder: files, links, special files. */
  readonly files: number
  readonly folders: number
  /** Bytes of the disk. */
  readonly allocatedBytes: number
  /** Lengths of the files. */
  readonly apparentBytes: number
}

export const noAmount: TreeAmount = { files: 0, folders: 0, allocatedBytes: 0, apparentBytes: 0 }

export const sumOf = (left: TreeAmount, right: TreeAmount): TreeAmount => ({
  files: left.files + right.files,
  folders: left.folders + right.folders,
  allocatedBytes: left.allocatedBytes + right.allocatedBytes,
  apparentBytes: left.apparentBytes + right.apparentBytes
})
