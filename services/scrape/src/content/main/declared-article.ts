import { typesOf } from '../head/json-ld.ts';
import type { HeadData } from '../head/read-head.ts';

/** https://schema.org/Article and its subtypes */
const ARTICLE_TYPE = /^(?:\w*Article|\w*BlogPosting|Report)$/;
/** A page that describes more articles than this is a list of them. */
const ARTICLES_CAP = 2;

/** True for a page whose structured data or metadata declare one dated article. */
export function declaresArticle({ jsonLd, og, publishedAt }: HeadData): boolean {
  const articles = jsonLd.filter((node) => typesOf(node).some((type) => ARTICLE_TYPE.test(type)));
  if (articles.length > 0) return articles.length <= ARTICLES_CAP;
  return og['type']?.toLowerCase() === 'article' && publishedAt !== undefined;
}
