import { BlockKind } from '@tidemark/contracts/page/v1/blocks';
import type { Addresses } from '../links/addresses.ts';
import { collapse, type Element, isElement } from '../tree/page-tree.ts';
import { comparedAddress, pictureName } from './compared-address.ts';

/** A picture, a player or a control, which is a block of its own beside the text around it. */
export interface Beside {
  readonly kind: BlockKind;
  readonly text: string;
  readonly links: string[];
  readonly comparedAs?: readonly string[];
  readonly element: Element;
}

const TEXT_CHARS_CAP = 1_000;
const lineOf = (text: string | undefined): string => collapse((text ?? '').slice(0, TEXT_CHARS_CAP));

/** A picture: what it is said to show, where it lies, and where it leads. Dots that count visitors are none. */
export function pictureIn(image: Element, addresses: Addresses, leadsTo: string | undefined): Beside | undefined {
  const { src, alt, width, height } = image.attributes;
  if (isDot(width) || isDot(height)) return undefined;
  const lazy = image.attributes['data-src'] ?? image.attributes['data-lazy-src'] ?? image.attributes['data-original'];
  const address = withoutQuery(addresses.resource(lazy ?? src));
  const text = lineOf(alt);
  const name = address === undefined ? '' : pictureName(address);
  if (text === '' && name === '') return undefined;
  const links = [address, leadsTo].filter((link) => link !== undefined);
  return {
    kind: BlockKind.BLOCK_KIND_IMAGE,
    text,
    links,
    comparedAs: [name, leadsTo ?? ''],
    element: image.parent ?? image,
  };
}

const MEDIA = new Set(['iframe', 'video', 'audio', 'embed', 'object']);
const HIDDEN = /display\s*:\s*none|visibility\s*:\s*hidden/i;
/** Frames that belong to advertisers, counters and shields, not to the page. */
const FOREIGN =
  /(?:consent|cookie|privacy-mgmt|captcha|doubleclick|googlesyndication|googletagmanager|google-analytics|challenges\.cloudflare|facebook\.com\/(?:tr|plugins)|adservice|amazon-adsystem|criteo|taboola|outbrain)/i;

/** A player or a frame that is shown: what it is called and what it plays. */
export function mediaIn(element: Element, addresses: Addresses): Beside | undefined {
  if (!MEDIA.has(element.tag)) return undefined;
  const { attributes } = element;
  if (attributes['hidden'] !== undefined || HIDDEN.test(attributes['style'] ?? '')) return undefined;
  if (isDot(attributes['width']) || isDot(attributes['height'])) return undefined;
  const source = element.children.filter(isElement).find(({ tag }) => tag === 'source');
  const address = addresses.resource(attributes['src'] ?? attributes['data-src'] ?? source?.attributes['src']);
  if (address === undefined || FOREIGN.test(address)) return undefined;
  const link = withoutQuery(comparedAddress(address));
  const text = lineOf(attributes['title'] ?? attributes['aria-label']);
  return link === undefined
    ? undefined
    : { kind: BlockKind.BLOCK_KIND_MEDIA, text, links: [link], element: element.parent ?? element };
}

const BUTTONS = new Set(['submit', 'button', 'reset']);
const UNWRITTEN = new Set(['hidden', 'checkbox', 'radio', 'file', 'image', 'range', 'color']);

/** What a form's field shows before anybody writes into it: a button's name, a hint. */
export function promptOf(input: Element): Beside | undefined {
  const { type, value, placeholder } = input.attributes;
  const kind = (type ?? 'text').toLowerCase();
  if (UNWRITTEN.has(kind)) return undefined;
  const text = lineOf(BUTTONS.has(kind) ? value : placeholder);
  return text === ''
    ? undefined
    : { kind: BlockKind.BLOCK_KIND_CONTROL, text, links: [], element: input.parent ?? input };
}

const isDot = (size: string | undefined): boolean => size !== undefined && /^\s*[01](?:px)?\s*$/.test(size);
const withoutQuery = (address: string | undefined): string | undefined =>
  address?.replace(/[?#].*$/, '').slice(0, 2_048);
