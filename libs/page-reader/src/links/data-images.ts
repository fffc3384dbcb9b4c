import type { Element } from '../tree/page-tree.ts';
import { DATA_CHARS_CAP } from './thresholds.ts';

const DATA_IMAGE = /^data:image\/[\w.+-]+(?:;[\w.=-]+)*,/i;

/** Admits a page's own `data:` images, each for every output format, up to one limit per page. */
export class DataImages {
  readonly #allowed = new Map<Element, string | undefined>();
  #chars = 0;

  /** Returns the image's URL, escaped for output; undefined if it is not an image or the limit is reached. */
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
