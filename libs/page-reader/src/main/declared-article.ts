import { typesOf } from '../head/json-ld.ts';
import type { HeadData } from '../head/read-head.ts';
import type { Page } from '../tree/page-tree.ts';
import { ARTICLES_CAP, PROPERTIES_CAP } from './thresholds.ts';

/** https://schema.org/Article and its subtypes */
const ARTICLE_TYPE = /^(?:\w*Article|\w*BlogPosting|Report)$/;

/** True for a page whose structured data or metadata declare one dated article. */
export function declaresArticle({ jsonLd, og, publishedAt }: HeadData): boolean {
  const articles = jsonLd.filter((node) => typesOf(node).some((type) => ARTICLE_TYPE.test(type)));
  if (articles.length > 0) return articles.length <= ARTICLES_CAP;
  return og['type']?.toLowerCase() === 'article' && publishedAt !== undefined;
}

/** https://schema.org/Recipe and other types that have a page of their own and comments below it */
const THING_TYPE = /(?:^|\/)(?:Recipe|HowTo|Product|Event|JobPosting|Course)$/;

/** True for a page whose structured data or microdata declare a thing instead of a text. */
export function declaresThing({ indexed }: Page, { jsonLd }: HeadData): boolean {
  if (jsonLd.some((node) => typesOf(node).some((type) => THING_TYPE.test(type)))) return true;
  return indexed.microdata.slice(0, PROPERTIES_CAP).some((property) => {
    for (let item = property.parent; item; item = item.parent) {
      const type = item.attributes['itemtype'];
      if (type !== undefined) return THING_TYPE.test(type);
    }
    return false;
  });
}
