/**
 * Which paths a managed file may have, and whose they are. Pure.
 *
 * Owns: the folder of each kind of owner, the rules of names, the names of temporary files.
 * Never owns: whether the path holds something (managed-folder).
 * Limits: paths are relative to the home, with `/`, and begin with `data/`, which stands for the data root.
 */
import { Result } from "effect"
import { assetLimits } from "./asset-limits.ts"
import { ForeignOwner, InvalidName } from "./asset-store-errors.ts"

/** Whose folder a file lies in: that of a call, of a Session's reports, or of a launch. Ids match `[A-Za-z0-9_-]{1,128}`. */
export type AssetOwner =
  | { readonly kind: "call"; readonly conversationId: string; readonly callId: string }
  | { readonly kind: "session"; readonly conversationId: string }
  | { readonly kind: "launch"; readonly launchId: string }

export const dataPrefix = "data"
export const conversationsFolder = "conversations"
export const launchesFolder = "launches"

const encoder = new TextEncoder()
const ownerId = /^[A-Za-z0-9_-]+$/
const drive = /^[A-Za-z]:/
const temporaryName = /^\.steno-write-[0-9a-f]{32}$/

/** @param random 32 lower-case hexadecimal digits */
export const temporaryNameOf = (random: string): string => `.steno-write-${random}`
export const isTemporaryName = (name: string): boolean => temporaryName.test(name)

const invalid = (name: string, rule: string) => Result.fail(new InvalidName({ name: name.slice(0, 200), rule }))

export const checkOwnerId = (id: string): Result.Result<string, InvalidName> =>
  ownerId.test(id) && id.length <= assetLimits.ownerIdCharacters
    ? Result.succeed(id)
    : invalid(id, `an owner id is 1 to ${assetLimits.ownerIdCharacters} of A-Z a-z 0-9 _ -`)

/** Parts of a relative name, at least one. */
export const checkName = (name: string): Result.Result<ReadonlyArray<string>, InvalidName> => {
  if (!name.isWellFormed()) return invalid(name, "it is no well-formed text")
  if (name.includes("\0")) return invalid(name, "it holds a NUL")
  if (name.includes("\\")) return invalid(name, "it holds a backslash")
  if (drive.test(name)) return invalid(name, "it begins with a drive")
  const parts = name.split("/")
  if (parts.some((part) => part === "" || part === "." || part === "..")) return invalid(name, "a part is empty, . or ..")
  if (parts.some(isTemporaryName)) return invalid(name, "it is the name of a temporary file")
  if (parts.some((part) => encoder.encode(part).length > assetLimits.nameBytes)) {
    return invalid(name, `a part is longer than ${assetLimits.nameBytes} bytes`)
  }
  if (encoder.encode(name).length > assetLimits.relativeNameBytes) {
    return invalid(name, `it is longer than ${assetLimits.relativeNameBytes} bytes`)
  }
  return Result.succeed(parts)
}

/** Parts of an owner's folder below the data root. */
export const ownerParts = (owner: AssetOwner): Result.Result<ReadonlyArray<string>, InvalidName> => {
  switch (owner.kind) {
    case "call":
      return Result.flatMap(checkOwnerId(owner.conversationId), (conversation) =>
        Result.map(checkOwnerId(owner.callId), (call) => [conversationsFolder, conversation, "tool-calls", call]))
    case "session":
      return Result.map(checkOwnerId(owner.conversationId), (conversation) => [conversationsFolder, conversation, "reports"])
    case "launch":
      return Result.map(checkOwnerId(owner.launchId), (launch) => [launchesFolder, launch])
  }
}

/** Path relative to the home of what lies at `parts` below the data root. */
export const relativePath = (parts: ReadonlyArray<string>): string => [dataPrefix, ...parts].join("/")

/** Folder of an owner, relative to the home. */
export const ownerFolder = (owner: AssetOwner): Result.Result<string, InvalidName> =>
  Result.map(ownerParts(owner), relativePath)

/** A managed file: its folder below the data root, its name there, its path relative to the home. */
export interface ManagedPath {
  readonly folder: ReadonlyArray<string>
  readonly name: string
  readonly path: string
}

const managedPath = (parts: ReadonlyArray<string>): ManagedPath => ({
  folder: parts.slice(0, -1),
  name: parts.at(-1) ?? "",
  path: relativePath(parts)
})

/** Where `name` of an owner lies. */
export const placeOf = (owner: AssetOwner, name: string): Result.Result<ManagedPath, InvalidName> =>
  Result.flatMap(ownerParts(owner), (folder) => Result.map(checkName(name), (parts) => managedPath([...folder, ...parts])))

/** Takes a recorded path apart, if it lies in its owner's folder. */
export const ownedPath = (path: string, owner: AssetOwner): Result.Result<ManagedPath, InvalidName | ForeignOwner> =>
  Result.flatMap(ownerParts(owner), (folder) =>
    Result.flatMap(checkName(path), (parts): Result.Result<ManagedPath, InvalidName | ForeignOwner> => {
      const inside = parts.length > folder.length + 1 &&
        parts[0] === dataPrefix && folder.every((part, index) => parts[index + 1] === part)
      return inside
        ? Result.succeed(managedPath(parts.slice(1)))
        : Result.fail(new ForeignOwner({ path: path.slice(0, 400), folder: relativePath(folder) }))
    }))
