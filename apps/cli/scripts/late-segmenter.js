/**
 * Stands in for `Intl.Segmenter` in the bundle: loads what it knows of languages when the first text is cut, not when one is made.
 * Libraries make one while they are loaded, which takes a tenth of a start, and few commands cut a text.
 */
export class LateSegmenter {
  #asked
  #segmenter

  constructor(...asked) {
    this.#asked = asked
  }

  segment(text) {
    this.#segmenter ??= new globalThis.Intl.Segmenter(...this.#asked)
    return this.#segmenter.segment(text)
  }
}
