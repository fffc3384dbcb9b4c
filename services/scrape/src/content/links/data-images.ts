import type { Element } from '../tree/page-tree.ts';

/** Characters of pictures held in the page itself that one page may pass on. */
const DATA_CHARS_CAP = 1_000_000;
const DATA_IMAGE = /^data:image\/[\w.+-]+(?:;[\w.=-]+)*,/i;

/** Lets a page's own `data:` pictures through, each for every form that is written, within one bound for the page. */
export class DataImages {
  readonly #allowed = new Map<Element, string | undefined>();
  #chars = 0;

  /** The picture's address, safe to write, or undefined where it is no picture or there have been enough. */
  of(element: Element): string | undefined {
    if (!this.#allowed.has(element)) this.#allowed.set(element, this.#admit(element.attributes['src'] ?? ''));
    return this.#allowed.get(element);
  }

  #admit(source: string): string | undefined {
    const trimmed = source.trim();
    if (trimmed.length > DATA_CHARS_CAP - this.#chars || !DATA_IMAGE.test(trimmed)) return undefined;
    this.#chars += trimmed.length;
    return trimmed.replace(/[\r\n\t]+/g, '').replace(/[\s"'<>()`\\]/g, escapeCharacter);
  }
}

const escapeCharacter = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
