import { collapseSpaces, type Element } from '../tree/page-tree.ts';
import { SRCSET_CHARS } from './thresholds.ts';
import type { UrlResolver } from './url-resolver.ts';

/** Attributes in which lazy loaders keep the real URL, most explicit first. */
const LAZY_ATTRIBUTES = [
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
const LAZY_SRCSETS = ['data-srcset', 'data-lazy-srcset', 'srcset'] as const;
const PLACEHOLDER =
  /(?:^data:)|(?:blank|placeholder|spacer|transparent|pixel|grey|loading|lazy)[\w.-]*\.(?:gif|png|svg|jpe?g)/i;

/** Returns the image that a visitor would see; undefined if there is only a placeholder. */
export function imageOf(element: Element, urls: UrlResolver): { src: string; alt: string } | undefined {
  const { attributes } = element;
  if (attributes['width'] === '1' || attributes['height'] === '1') return undefined;
  const src = sourceOf(element, urls) ?? urls.dataImages?.of(element);
  return src ? { src, alt: collapseSpaces(attributes['alt'] ?? '') } : undefined;
}

function sourceOf(element: Element, urls: UrlResolver): string | undefined {
  const { attributes } = element;
  const plain = attributes['src'];
  const real = plain && !PLACEHOLDER.test(plain) ? urls.resource(plain) : undefined;
  for (const name of LAZY_ATTRIBUTES) {
    const lazy = attributes[name];
    const resolved = lazy && !lazy.startsWith('data:') && !/[\s{]/.test(lazy.trim()) ? urls.resource(lazy) : undefined;
    if (resolved) return resolved;
  }
  if (real) return real;
  for (const name of LAZY_SRCSETS) {
    const resolved = urls.resource(largestOf(attributes[name]));
    if (resolved) return resolved;
  }
  return fromPictureElement(element, urls) ?? (plain && !plain.startsWith('data:') ? urls.resource(plain) : undefined);
}

function fromPictureElement(element: Element, urls: UrlResolver): string | undefined {
  if (element.parent?.tag !== 'picture') return undefined;
  for (const sibling of element.parent.children) {
    if (typeof sibling === 'string' || sibling.tag !== 'source') continue;
    const resolved = urls.resource(largestOf(sibling.attributes['srcset'] ?? sibling.attributes['data-srcset']));
    if (resolved) return resolved;
  }
  return undefined;
}

/** Returns the widest or densest candidate: https://html.spec.whatwg.org/multipage/images.html#srcset-attributes */
function largestOf(srcset: string | undefined): string | undefined {
  if (!srcset || srcset.length > SRCSET_CHARS) return undefined;
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
