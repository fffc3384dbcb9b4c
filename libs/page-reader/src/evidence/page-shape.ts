import { type Element, linkDensity, walk } from '../tree/page-tree.ts';
import type { PageEvidence } from '../verdict/page-evidence.ts';
import {
  EMPTY_IMAGES,
  EMPTY_WORDS,
  FORM_PARAGRAPHS,
  FORM_WORDS,
  LISTING_BLOCKS,
  LISTING_DENSITY,
  LISTING_SHARE,
  TABLE_ROWS,
  TABLE_SHARE,
} from './thresholds.ts';

export type PageShape = 'listing' | 'table' | 'form' | 'empty';

/** Classifies pages that are not plain prose. */
export function shapeOf(evidence: PageEvidence, main: Element): PageShape | undefined {
  const fields = evidence.passwordFields + evidence.emailFields + evidence.textFields;
  const isForm = fields >= 2 && evidence.mainWords < FORM_WORDS && evidence.paragraphs < FORM_PARAGRAPHS;
  if (evidence.bodyWords < EMPTY_WORDS && evidence.images < EMPTY_IMAGES) return isForm ? 'form' : 'empty';
  if (evidence.tableRows >= TABLE_ROWS && tableWords(main) > main.words * TABLE_SHARE) return 'table';
  if (isForm) return 'form';
  if (
    evidence.repeatedBlocks >= LISTING_BLOCKS &&
    evidence.cardWords > evidence.contentWords * LISTING_SHARE &&
    linkDensity(main) > LISTING_DENSITY
  )
    return 'listing';
  return undefined;
}

function tableWords(main: Element): number {
  let words = 0;
  walk(main, (element) => {
    if (element.tag !== 'table') return undefined;
    words += element.words;
    return false;
  });
  return main.tag === 'table' ? main.words : words;
}
