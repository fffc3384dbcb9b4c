import { declaresProduct, offersProduct } from '../head/declared-product.ts';
import { typesOf } from '../head/json-ld.ts';
import type { HeadData } from '../head/read-head.ts';
import { type Element, findFirst, type Page } from '../tree/page-tree.ts';
import { isConversation } from './conversation.ts';
import { declaresArticle } from './declared-article.ts';
import { holdsOneText } from './one-text.ts';
import { DATED_TEXT_WORDS, LISTING_PROSE, PRODUCT_PROSE, SECTIONS_PROSE } from './thresholds.ts';

/**
 * Selects the profile of boilerplate rules for a page. `sections`: a page of several texts among links, such as the
 * presentation of a service.
 */
export const PageKind = { article: 0, sections: 1, forum: 2, listing: 3, product: 4 } as const;
export type PageKind = (typeof PageKind)[keyof typeof PageKind];

export function pageKindOf(page: Page, head: HeadData, url: string): PageKind {
  const types = head.jsonLd.flatMap(typesOf);
  if (isForum(page.body, url, head.generator ?? '', types)) return PageKind.forum;
  if (isConversation(page, head)) return PageKind.forum;
  const { words, linkWords } = page.body;
  const proseShare = words === 0 ? 0 : 1 - linkWords / words;
  if (isProductPage(page, head, proseShare) && !declaresArticle(head)) return PageKind.product;
  if (declaresArticle(head)) return PageKind.article;
  if (types.includes('CollectionPage') || types.includes('ItemList')) return PageKind.listing;
  if (proseShare >= SECTIONS_PROSE || holdsOneText(page.body, head.publishedAt ? DATED_TEXT_WORDS : undefined))
    return PageKind.article;
  return proseShare < LISTING_PROSE ? PageKind.listing : PageKind.sections;
}

const isProductPage = (page: Page, head: HeadData, proseShare: number): boolean =>
  declaresProduct(page, head) && (proseShare >= PRODUCT_PROSE || offersProduct(page, head));

const FORUM_POST = /^(?:postbody|topic-body|message-body|post_message|bbWrapper|cPost)/;

/** Recognises forum and discussion pages by generator, structured data, URL and class names. */
function isForum(body: Element, url: string, generator: string, types: readonly string[]): boolean {
  if (
    /phpbb|vbulletin|discourse|xenforo|mybb|smf|invision|vanilla|flarum|nodebb|woltlab|fluxbb|simple machines/i.test(
      generator,
    )
  )
    return true;
  if (types.some((type) => type === 'DiscussionForumPosting' || type === 'QAPage' || type === 'Question')) return true;
  if (
    /\/(?:forums?|threads?|topics?|viewtopic|showthread|questions?|discussions?|community|t|comments|board|bbs)(?:[/.?]|$)|[?&/](?:topic|thread|showtopic|tid)=?|^https?:\/\/(?:forums?|community|discuss|discourse|bbs|board|talk|answers)\./i.test(
      url,
    )
  )
    return true;
  const names = `${body.attributes['class'] ?? ''} ${body.attributes['id'] ?? ''}`;
  if (/phpbb|vbulletin|xenforo|discourse|mybb|\bsmf\b|ipsApp|forum/i.test(names)) return true;
  return (
    findFirst(body, ({ attributes }) => {
      const className = attributes['class'];
      return className !== undefined && FORUM_POST.test(className);
    }) !== undefined
  );
}
