/** The defect of whoever calls the Seam against its order; never an outcome of a Turn. */
export class SeamMisuse extends Error {
  override readonly name = "SeamMisuse"
}
