import { createHash } from 'node:crypto';
import { textOrEmpty } from '@tidemark/contracts';
import { type Block, BlockKind, Landmark, type PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { isTokenEdit } from '../comparison/link-changes.ts';
import { anchorOf as pathOf, sectionOf } from '../comparison/unmatched-blocks.ts';
import type { BlockChange, FieldChange } from '../domain/page-delta.ts';

const CURRENCY =
  /[$€£¥₹₩₽₺₫₴₦฿₱₪]|\b(?:usd|eur|gbp|jpy|cny|inr|chf|aud|cad|sek|nok|dkk|pln|czk|huf|brl|zar|krw|try)\b|\b(?:price|preis|prix|precio|prezzo|cena|prijs|kr|zł|kč|ft|руб)\b/iu;

/** Identifies a place on pages of one template. */
const digestOf = (template: string, place: string): string =>
  createHash('sha1').update(`${template}\n${place}`).digest('base64url').slice(0, 16);

/** A place without its template: element path, section, kind and, where the text holds dates or counters, the mask. */
const placeOf = (block: Block | undefined, section: string, path: string): string =>
  JSON.stringify([block?.landmark ?? 0, path, section, block?.kind ?? 0, textOrEmpty(block?.mask)]);

/** Identifies the place of a changed block on pages of one template. Edits of text other than dates and counters keep it. */
export const anchorOf = (template: string, { after, before, section, anchor }: BlockChange): string =>
  digestOf(template, placeOf(after ?? before, section, anchor));

/** Places listed of one page. */
const MAX_PLACES = 2_000;

/** Returns the distinct places of a page. */
export const placesOf = (page: PageBlocks): readonly string[] => [
  ...new Set(
    page.blocks.slice(0, MAX_PLACES).map((block) => placeOf(block, sectionOf(page, block), pathOf(page, block))),
  ),
];

/** Identifies a place of `placesOf` on pages of one template. */
export const anchorOfPlace = digestOf;

/** Identifies a list of the head on pages of one template. */
export const anchorOfField = (template: string, { name }: Pick<FieldChange, 'name'>): string =>
  digestOf(template, placeOfField(name));

/** Returns the place of a list of the head. */
export const placeOfField = (name: string): string => JSON.stringify(['head', name]);

/** Whether the field is a list for machines, which servers may write differently on every visit. Other fields are never volatile. */
export const isVolatileList = ({ name }: Pick<FieldChange, 'name'>): boolean => VOLATILE_LISTS.includes(name);

/** Lists of the head that may be volatile. */
export const VOLATILE_LISTS: readonly string[] = ['hreflang', 'json-ld', 'og:image'];

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
  return before !== undefined && after !== undefined && before.mask !== undefined && before.mask === after.mask;
}

/** Whether the text holds dates, ages or counters. */
export function hasMask({ before, after }: BlockChange): boolean {
  return (after ?? before)?.mask !== undefined;
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
