import { type Element, linkDensity, walk } from '../tree/page-tree.ts';
import type { PageEvidence } from '../verdict/page-evidence.ts';

export type PageShape = 'listing' | 'table' | 'form' | 'empty';

/** Classifies pages that are not plain prose. */
export function shapeOf(evidence: PageEvidence, main: Element): PageShape | undefined {
  const fields = evidence.passwordFields + evidence.emailFields + evidence.textFields;
  const isForm = fields >= 2 && evidence.mainWords < 150 && evidence.paragraphs < 4;
  if (evidence.bodyWords < 5 && evidence.images < 3) return isForm ? 'form' : 'empty';
  if (evidence.tableRows >= 5 && tableWords(main) > main.words * 0.6) return 'table';
  if (isForm) return 'form';
  if (evidence.repeatedBlocks >= 5 && evidence.cardWords > evidence.contentWords * 0.35 && linkDensity(main) > 0.25)
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
