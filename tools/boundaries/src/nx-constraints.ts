/**
 * The boundary table in the words of `@nx/enforce-module-boundaries`.
 *
 * Owns: the translation of rows into Nx's constraints.
 * Limits: Nx sees projects and packages; `node:` modules, entries and powers are left to the rules of ours.
 */
import { type BoundaryRow, type Tag, tagsOf } from "./boundary-row.ts"

export interface NxConstraint {
  readonly sourceTag: Tag
  readonly onlyDependOnLibsWithTags: ReadonlyArray<Tag>
}

export const nxConstraints = (rows: ReadonlyArray<BoundaryRow>): ReadonlyArray<NxConstraint> =>
  rows.flatMap((row) => {
    const sourceTag = tagsOf(row).at(-1)
    return sourceTag === undefined ? [] : [{ sourceTag, onlyDependOnLibsWithTags: row.mayImport }]
  })
