import { createHash } from 'node:crypto';
import { type Block, BlockKind, Landmark } from '@tidemark/contracts/page/v1/blocks';
import { isTokenEdit } from '../compare/link-changes.ts';
import type { BlockChange, FieldChange } from '../domain/page-delta.ts';

const CURRENCY =
  /[$€£¥₹₩₽₺₫₴₦฿₱₪]|\b(?:usd|eur|gbp|jpy|cny|inr|chf|aud|cad|sek|nok|dkk|pln|czk|huf|brl|zar|krw|try)\b|\b(?:price|preis|prix|precio|prezzo|cena|prijs|kr|zł|kč|ft|руб)\b/iu;

/**
 * Identifies a block's position on pages of one template: element path, section, kind and, where its text holds dates
 * or counters, the mask. Edits of other text keep the anchor.
 */
export function anchorOf(template: string, { after, before, section, anchor }: BlockChange): string {
  const block = after ?? before;
  const parts = [template, block?.landmark ?? 0, anchor, section, block?.kind ?? 0, block?.mask ?? ''];
  return createHash('sha1').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}

/** Identifies a list of the head on pages of one template. */
export function anchorOfField(template: string, { name }: Pick<FieldChange, 'name'>): string {
  return createHash('sha1')
    .update(JSON.stringify([template, 'head', name]))
    .digest('base64url')
    .slice(0, 16);
}

/** Whether the field is a list for machines, which servers may write differently on every visit. Other fields are never volatile. */
export const isVolatileList = ({ name }: Pick<FieldChange, 'name'>): boolean => VOLATILE_LISTS.has(name);

const VOLATILE_LISTS: ReadonlySet<string> = new Set(['hreflang', 'json-ld', 'og:image']);

/** Whether the change must never be ignored as volatile: prices, headlines, and other link targets in the main part. */
export function isNeverVolatile(change: BlockChange): boolean {
  const blocks = [change.before, change.after].filter((block) => block !== undefined);
  return (
    blocks.some((block) => block.kind === BlockKind.BLOCK_KIND_HEADING || mentionsPrice(block) || isAmount(block)) ||
    isNamedAsAuthored(change.anchor) ||
    (blocks.some(isMain) && !isTokenEdit(change) && linksOf(change.before) !== linksOf(change.after))
  );
}

/** Whether the text mentions a price. */
export const mentionsPrice = ({ text }: Pick<Block, 'text'>): boolean => CURRENCY.test(text);

/** A text that is nothing but an amount with cents: a price without its currency. */
const isAmount = ({ text }: Pick<Block, 'text'>): boolean => /^\D{0,12}\d[\d.,\s]*[.,]\d{2}\D{0,12}$/.test(text);

const AUTHORED = /[.#](?:[\w-]*[_-])?(?:price|cost|amount|head(?:line|ing)|title|teaser)s?(?:[_-]|$|(?=[.#]))/i;

/** Whether the names of the innermost elements state that the text is a price or a headline. */
const isNamedAsAuthored = (anchor: string): boolean =>
  anchor
    .split('>')
    .slice(-2)
    .some((step) => AUTHORED.test(step));

/** Whether only dates, ages and counters differ. */
export function keepsMask({ before, after }: BlockChange): boolean {
  return before !== undefined && after !== undefined && before.mask !== '' && before.mask === after.mask;
}

/** Whether the text holds dates, ages or counters. */
export function hasMask({ before, after }: BlockChange): boolean {
  return ((after ?? before)?.mask ?? '') !== '';
}

/** On a page without landmarks every block belongs to the main part. */
export function isMain({ landmark }: Pick<Block, 'landmark'>): boolean {
  return landmark === Landmark.LANDMARK_MAIN || landmark === Landmark.LANDMARK_UNSPECIFIED;
}

const linksOf = (block: Block | undefined): string => block?.links.join('\n') ?? '';

/** Whether the change is in the main part rather than in boilerplate. */
export function isContentChange({ before, after }: BlockChange): boolean {
  const block = after ?? before;
  return block !== undefined && isMain(block);
}
