/**
 * Stands in for `Intl.Segmenter` in the bundle: loads what it knows of languages when the first text is cut, not when one is made.
 *
 * Limits: a library that makes one while it is loaded makes every start a tenth longer, and few commands cut a text.
 */
export class LateSegmenter {
  readonly #asked: ConstructorParameters<typeof Intl.Segmenter>
  #segmenter: Intl.Segmenter | undefined

  constructor(...asked: ConstructorParameters<typeof Intl.Segmenter>) {
    this.#asked = asked
  }

  segment(text: string): Intl.Segments {
    this.#segmenter ??= new globalThis.Intl.Segmenter(...this.#asked)
    return this.#segmenter.segment(text)
  }
}
