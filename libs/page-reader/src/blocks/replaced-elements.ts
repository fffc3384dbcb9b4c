import { BlockKind } from '@tidemark/contracts/page/v1/blocks';
import type { UrlResolver } from '../links/url-resolver.ts';
import { collapseSpaces, type Element, isElement, rawText } from '../tree/page-tree.ts';
import { comparisonUrl, imageName } from './comparison-url.ts';
import { REPLACED_ELEMENTS_TEXT_CHARS_CAP } from './thresholds.ts';

/** An image, player or form control: a block of its own inside the text. */
export interface ReplacedBlock {
  readonly kind: BlockKind;
  readonly text: string;
  readonly links: string[];
  readonly comparedAs?: { readonly text: string; readonly links: readonly string[] };
  readonly element: Element;
}

const toLine = (text: string | undefined): string =>
  collapseSpaces((text ?? '').slice(0, REPLACED_ELEMENTS_TEXT_CHARS_CAP));

/**
 * Returns the block of an image: alternative text, URL and link target. Undefined for tracking pixels and for images without
 * alternative text, which add no content.
 */
export function imageBlock(image: Element, urls: UrlResolver, leadsTo: string | undefined): ReplacedBlock | undefined {
  const { src, alt, width, height } = image.attributes;
  if (isTrackingPixelSize(width) || isTrackingPixelSize(height)) return undefined;
  const lazy = image.attributes['data-src'] ?? image.attributes['data-lazy-src'] ?? image.attributes['data-original'];
  const url = withoutQuery(urls.resource(lazy ?? src));
  const text = toLine(alt);
  const name = url === undefined ? '' : imageName(url);
  if (text === '') return undefined;
  const links = [url, leadsTo].filter((link) => link !== undefined);
  return {
    kind: BlockKind.BLOCK_KIND_IMAGE,
    text,
    links,
    comparedAs: { text: `${text}\n${name}`, links: leadsTo === undefined ? [] : [leadsTo] },
    element: image.parent ?? image,
  };
}

const MEDIA = new Set(['iframe', 'video', 'audio', 'embed', 'object']);
/** Styles by which an element takes no place on the page: hidden, transparent, without a size, moved out of view. */
const UNSEEN_STYLE =
  /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?:\.0+)?\s*(?:;|!|$)|(?:width|height)\s*:\s*[01](?:px)?\s*(?:;|!|$)|(?:left|top|right|bottom)\s*:\s*-\d{3,})/i;
/** Frames of advertising, analytics and bot protection. */
const FOREIGN =
  /(?:consent|cookie|privacy-mgmt|captcha|doubleclick|googlesyndication|googletagmanager|google-analytics|challenges\.cloudflare|facebook\.com\/(?:tr|plugins)|adservice|amazon-adsystem|criteo|taboola|outbrain)/i;

/** Returns the block of a visible player or frame: its title, or its URL without scheme if it has none. */
export function mediaBlock(element: Element, urls: UrlResolver): ReplacedBlock | undefined {
  if (!MEDIA.has(element.tag)) return undefined;
  const { attributes } = element;
  if (attributes['hidden'] !== undefined || attributes['aria-hidden'] === 'true') return undefined;
  if (UNSEEN_STYLE.test(attributes['style'] ?? '')) return undefined;
  if (isTrackingPixelSize(attributes['width']) || isTrackingPixelSize(attributes['height'])) return undefined;
  const source = element.children.filter(isElement).find(({ tag }) => tag === 'source');
  const url = urls.resource(attributes['src'] ?? attributes['data-src'] ?? source?.attributes['src']);
  if (url === undefined || FOREIGN.test(url)) return undefined;
  const link = withoutQuery(comparisonUrl(url));
  if (link === undefined) return undefined;
  const title = toLine(attributes['title'] ?? attributes['aria-label']);
  const text = title === '' ? toLine(link.replace(/^https?:\/\//, '')) : title;
  return { kind: BlockKind.BLOCK_KIND_MEDIA, text, links: [link], element: element.parent ?? element };
}

const BUTTONS = new Set(['submit', 'button', 'reset']);
const UNWRITTEN = new Set(['hidden', 'checkbox', 'radio', 'file', 'image', 'range', 'color']);

/** Returns the block of a form field: a button's label or a placeholder. */
export function controlBlock(input: Element): ReplacedBlock | undefined {
  const { type, value, placeholder } = input.attributes;
  const kind = (type ?? 'text').toLowerCase();
  if (UNWRITTEN.has(kind)) return undefined;
  const text = toLine(BUTTONS.has(kind) ? value : placeholder);
  return text === ''
    ? undefined
    : { kind: BlockKind.BLOCK_KIND_CONTROL, text, links: [], element: input.parent ?? input };
}

/** Returns the block of a ruby annotation, which is no part of the text that it stands beside. */
export function annotationBlock(annotation: Element, kind: BlockKind): ReplacedBlock | undefined {
  const text = annotation.tag === 'rt' ? toLine(rawText(annotation, REPLACED_ELEMENTS_TEXT_CHARS_CAP)) : '';
  return text === '' ? undefined : { kind, text, links: [], element: annotation.parent ?? annotation };
}

const isTrackingPixelSize = (size: string | undefined): boolean =>
  size !== undefined && /^\s*[01](?:px)?\s*$/.test(size);
const withoutQuery = (url: string | undefined): string | undefined => url?.replace(/[?#].*$/, '').slice(0, 2_048);
