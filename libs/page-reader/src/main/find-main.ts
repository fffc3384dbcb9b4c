import type { HeadData } from '../head/read-head.ts';
import { Landmarks } from '../landmarks/landmarks.ts';
import { type Element, Flag, isWithin, type Page } from '../tree/page-tree.ts';
import { chooseMain, type MainChoice } from './choose-main.ts';
import { cleanMain } from './clean-main.ts';
import { declaresArticle } from './declared-article.ts';
import { dropChrome } from './drop-chrome.ts';
import { dropAdditions, dropOtherContent } from './end-of-content.ts';
import { dropFacets } from './facets.ts';
import { dropFrame, outsideFrame } from './frame.ts';
import { dropFurniture } from './furniture.ts';
import { headlineOf, withLead } from './lead.ts';
import { holdsOneText } from './one-text.ts';
import { dropBeforeHeadline, dropBeforeOpening } from './opening.ts';
import { dropOtherProducts } from './other-products.ts';
import { PageKind, pageKindOf } from './page-kind.ts';
import { dropQuotedPosts } from './quotations.ts';
import { dropRepeatedLines } from './repeated-lines.ts';
import { dropQuotations, dropSecondCopies } from './repeated-text.ts';
import { dropSecondTexts } from './second-text.ts';
import { dropTopicLabels } from './topic-labels.ts';

export interface FindMainInput {
  readonly page: Page;
  readonly head: HeadData;
  readonly url: string;
  /** Elements that the filters left out. */
  readonly omitted: readonly (readonly Element[])[];
}

/** Finds the main content of a measured page and marks the boilerplate outside and inside it. */
export function findMain({ page, head, url, omitted }: FindMainInput): MainChoice {
  const kind = pageKindOf(page, head, url);
  const isDeclared = declaresArticle(head);
  dropChrome(page.body, { kind, isDeclared });
  // Filtered elements have no weight in the choice.
  for (const elements of omitted) for (const element of elements) element.flags |= Flag.boilerplate;
  const headline = headlineOf(page, head.headline);
  if (kind === PageKind.product) dropOtherProducts(page.body, headline, url);
  const choice = chooseMain(page.body, head.jsonLd, kind);
  const landmarks = new Landmarks(page, true);
  if (isWithin(choice.root, page.body)) choice.root = withLead(outsideFrame(choice.root, landmarks), headline);
  cleanMain(choice.root, kind);
  const isForum = kind === PageKind.forum;
  if (isForum) {
    dropBeforeOpening(choice.root, head.description ?? head.og['description']);
    dropQuotedPosts(choice.root);
    dropQuotations(choice.root);
  } else {
    dropFacets(choice.root);
    dropSecondCopies(choice.root);
  }
  if (kind === PageKind.product) dropAdditions(choice.root, kind);
  else dropTopicLabels(choice.root);
  if (isForum || kind === PageKind.article || kind === PageKind.sections) {
    const hasText = isForum || isDeclared || holdsOneText(choice.root) || headsOneText(headline, choice.root);
    dropOtherContent(choice.root, { kind, hasText });
    dropAdditions(choice.root, kind);
    if (!isForum && headline) {
      dropSecondTexts(choice.root, headline, page.indexed.headings);
      dropBeforeHeadline(choice.root, headline, page.indexed.headings);
    }
  }
  dropFurniture(choice.root, { dropsTimes: isForum || !isDeclared });
  dropRepeatedLines(choice.root, kind);
  if (isWithin(choice.root, page.body)) dropFrame(choice.root, landmarks);
  return choice;
}

/** True for a headline in a box of one text, beside which the chosen element holds other boxes. */
function headsOneText(headline: Element | undefined, root: Element): boolean {
  if (!headline || !isWithin(headline, root)) return false;
  for (let up = headline.parent; up && up !== root; up = up.parent) if (holdsOneText(up)) return true;
  return false;
}
