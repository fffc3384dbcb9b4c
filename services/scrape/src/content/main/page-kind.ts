import { typesOf } from '../head/json-ld.ts';
import type { HeadData } from '../head/read-head.ts';
import { type Element, findFirst, type Page } from '../tree/page-tree.ts';
import { isConversation } from './conversation.ts';
import { declaresArticle } from './declared-article.ts';
import { holdsOneText } from './one-text.ts';

/** Selects the profile of boilerplate rules for a page. */
export type PageKind = 'article' | 'forum' | 'listing' | 'product';

export function pageKindOf(page: Page, head: HeadData, url: string): PageKind {
  const types = head.jsonLd.flatMap(typesOf);
  if (isForum(page.body, url, head.generator ?? '', types)) return 'forum';
  if (isConversation(page.body, head)) return 'forum';
  if (types.includes('Product') || head.og['type'] === 'product') return 'product';
  if (declaresArticle(head)) return 'article';
  const proseShare = page.body.words === 0 ? 0 : 1 - page.body.linkWords / page.body.words;
  if (types.includes('CollectionPage') || types.includes('ItemList')) return 'listing';
  return proseShare < 0.45 && !holdsOneText(page.body) ? 'listing' : 'article';
}

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
