import { createHash } from 'node:crypto';
import { type Block, BlockKind, Landmark } from '@tidemark/contracts/page/v1/blocks';
import type { BlockChange } from '../domain/page-delta.ts';

const CURRENCY =
  /[$€£¥₹₩₽₺₫₴₦฿₱₪]|\b(?:usd|eur|gbp|jpy|cny|inr|chf|aud|cad|sek|nok|dkk|pln|czk|huf|brl|zar|krw|try)\b|\b(?:price|preis|prix|precio|prezzo|cena|prijs|kr|zł|kč|ft|руб)\b/iu;

/**
 * Names a place on pages of one template: what is above it in the markup, the nearest heading, its kind and, where its text holds dates or
 * counters, the text without them. Edits of a block without such parts keep its anchor, whatever it says.
 */
export function anchorOf(template: string, { after, before, section, anchor }: BlockChange): string {
  const block = after ?? before;
  const parts = [template, block?.landmark ?? 0, anchor, section, block?.kind ?? 0, block?.mask ?? ''];
  return createHash('sha1').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}

/** Whether the change may never be set aside by what was learned: prices, headings, and where links of the main part lead. */
export function isNeverVolatile(change: BlockChange): boolean {
  const blocks = [change.before, change.after].filter((block) => block !== undefined);
  return (
    blocks.some((block) => block.kind === BlockKind.BLOCK_KIND_HEADING || mentionsPrice(block)) ||
    (blocks.some(isMain) && linksOf(change.before) !== linksOf(change.after))
  );
}

/** Whether its text speaks of a price. */
export const mentionsPrice = ({ text }: Pick<Block, 'text'>): boolean => CURRENCY.test(text);

/** Whether nothing differs but dates, ages and counters: both readings have the same text around them. */
export function keepsMask({ before, after }: BlockChange): boolean {
  return before !== undefined && after !== undefined && before.mask !== '' && before.mask === after.mask;
}

/** Whether its text holds dates, ages or counters. */
export function hasMask({ before, after }: BlockChange): boolean {
  return ((after ?? before)?.mask ?? '') !== '';
}

/** Where pages mark no main part, everything but what is known to be chrome is main. */
export function isMain({ landmark }: Pick<Block, 'landmark'>): boolean {
  return landmark === Landmark.LANDMARK_MAIN || landmark === Landmark.LANDMARK_UNSPECIFIED;
}

const linksOf = (block: Block | undefined): string => block?.links.join('\n') ?? '';

/** Whether a change is one of the page's content, rather than of what stands around it on many pages. */
export function isContentChange({ before, after }: BlockChange): boolean {
  const block = after ?? before;
  return block !== undefined && isMain(block);
}
