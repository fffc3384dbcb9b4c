import type { HeadData } from '../head/read-head.ts';
import { Landmarks } from '../landmarks/landmarks.ts';
import { type Element, isWithin, type Page } from '../tree/page-tree.ts';
import { chooseMain, type MainChoice } from './choose-main.ts';
import { applyRules, RULES_AFTER_CHOICE, RULES_BEFORE_CHOICE, RULES_BEFORE_HEADLINE } from './content-rules.ts';
import { declaresArticle } from './declared-article.ts';
import { outsideFrame } from './frame.ts';
import { headlineOf, withLead } from './lead.ts';
import { pageKindOf } from './page-kind.ts';

export interface FindMainInput {
  readonly page: Page;
  readonly head: HeadData;
  readonly url: string;
  /** Elements that the filters left out. */
  readonly omitted: readonly (readonly Element[])[];
  /** `drops` of a rule that is left out, to measure its effect. */
  readonly withoutRule?: string | undefined;
}

/**
 * Finds the main content of a measured page and marks the boilerplate outside and inside it: classifies the page, drops what is no
 * content anywhere, chooses the element with the content, and drops what is no content inside it. `content-rules.ts` lists the rules.
 */
export function findMain({ page, head, url, omitted, withoutRule }: FindMainInput): MainChoice {
  const whole = {
    page,
    head,
    url,
    omitted,
    kind: pageKindOf(page, head, url),
    isDeclared: declaresArticle(head),
    headline: undefined,
    root: page.body,
    landmarks: new Landmarks(page, true),
  };
  applyRules(RULES_BEFORE_HEADLINE, whole, withoutRule);
  const headline = headlineOf(page, head.headline);
  applyRules(RULES_BEFORE_CHOICE, { ...whole, headline }, withoutRule);
  const choice = chooseMain(page.body, head.jsonLd, whole.kind);
  const root = isWithin(choice.root, page.body)
    ? withLead(outsideFrame(choice.root, whole.landmarks), headline)
    : choice.root;
  applyRules(RULES_AFTER_CHOICE, { ...whole, headline, root }, withoutRule);
  return { root, contentWords: choice.contentWords };
}
