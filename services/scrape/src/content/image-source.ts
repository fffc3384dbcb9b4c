import type { Addresses } from './address.ts';
import { collapse, type Element } from './tree.ts';

/** Where lazy loaders keep the real address, most explicit first. */
const LAZY = [
  'data-src',
  'data-original',
  'data-lazy-src',
  'data-original-src',
  'data-full-src',
  'data-hi-res-src',
  'data-lazy',
  'data-image',
  'data-url',
] as const;
const LAZY_SETS = ['data-srcset', 'data-lazy-srcset', 'srcset'] as const;
const PLACEHOLDER =
  /(?:^data:)|(?:blank|placeholder|spacer|transparent|pixel|grey|loading|lazy)[\w.-]*\.(?:gif|png|svg|jpe?g)/i;

/** Characters of pictures held in the page itself that one page may pass on. */
const INLINE_CHARS_CAP = 1_000_000;
const INLINE = /^data:image\/[\w.+-]+(?:;[\w.=-]+)*,/i;

/** Lets a page's own `data:` pictures through, each for every form that is written, within one bound for the page. */
export class InlineImages {
  readonly #allowed = new Map<Element, string | undefined>();
  #chars = 0;

  /** The picture's address, safe to write, or undefined where it is no picture or there have been enough. */
  of(element: Element): string | undefined {
    if (!this.#allowed.has(element)) this.#allowed.set(element, this.#admit(element.attributes['src'] ?? ''));
    return this.#allowed.get(element);
  }

  #admit(source: string): string | undefined {
    const trimmed = source.trim();
    if (trimmed.length > INLINE_CHARS_CAP - this.#chars || !INLINE.test(trimmed)) return undefined;
    this.#chars += trimmed.length;
    return trimmed.replace(/[\r\n\t]+/g, '').replace(/[\s"'<>()`\\]/g, escapeCharacter);
  }
}

const escapeCharacter = (character: string): string =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;

/** A picture as the reader would see it, or undefined where there is only a placeholder. */
export function imageOf(element: Element, addresses: Addresses): { src: string; alt: string } | undefined {
  const { attributes } = element;
  if (attributes['width'] === '1' || attributes['height'] === '1') return undefined;
  const src = sourceOf(element, addresses) ?? addresses.inlineImages?.of(element);
  return src ? { src, alt: collapse(attributes['alt'] ?? '') } : undefined;
}

function sourceOf(element: Element, addresses: Addresses): string | undefined {
  const { attributes } = element;
  const plain = attributes['src'];
  const real = plain && !PLACEHOLDER.test(plain) ? addresses.resource(plain) : undefined;
  for (const name of LAZY) {
    const lazy = attributes[name];
    const resolved =
      lazy && !lazy.startsWith('data:') && !/[\s{]/.test(lazy.trim()) ? addresses.resource(lazy) : undefined;
    if (resolved) return resolved;
  }
  if (real) return real;
  for (const name of LAZY_SETS) {
    const resolved = addresses.resource(largestOf(attributes[name]));
    if (resolved) return resolved;
  }
  return (
    fromPicture(element, addresses) ?? (plain && !plain.startsWith('data:') ? addresses.resource(plain) : undefined)
  );
}

function fromPicture(element: Element, addresses: Addresses): string | undefined {
  if (element.parent?.tag !== 'picture') return undefined;
  for (const sibling of element.parent.children) {
    if (typeof sibling === 'string' || sibling.tag !== 'source') continue;
    const resolved = addresses.resource(largestOf(sibling.attributes['srcset'] ?? sibling.attributes['data-srcset']));
    if (resolved) return resolved;
  }
  return undefined;
}

/** The widest or densest candidate: https://html.spec.whatwg.org/multipage/images.html#srcset-attributes */
function largestOf(srcset: string | undefined): string | undefined {
  if (!srcset || srcset.length > 20_000) return undefined;
  let best: string | undefined;
  let bestSize = -1;
  for (const candidate of srcset.split(/,\s+|,(?=https?:|\/)/)) {
    const [url, size = '1x'] = candidate.trim().split(/\s+/);
    const value = Number.parseFloat(size);
    if (url && !url.startsWith('data:') && value > bestSize) {
      best = url;
      bestSize = value;
    }
  }
  return best;
}
