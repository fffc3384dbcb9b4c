import { type JsonObject, typesOf } from '../head/json-ld.ts';
import { countText } from '../tree/count-words.ts';
import { measurePage } from '../tree/measure-page.ts';
import { collapseSpaces, Element, visibleLine } from '../tree/page-tree.ts';
import { parsePage } from '../tree/parse-page.ts';
import { CHARS_CAP, MIN_RATIO, STRUCTURED_BODY_MIN_WORDS, VISIBLE_WORDS_CAP } from './thresholds.ts';

/**
 * Returns the content from the page's structured data if scripts would have rendered it and the page shows little else:
 * `articleBody`, a post's `text`, a product's `description`. https://schema.org/articleBody
 */
export function structuredBody(body: Element, root: Element, jsonLd: readonly JsonObject[]): Element | undefined {
  if (root.words > VISIBLE_WORDS_CAP) return undefined;
  const text = longest(jsonLd.flatMap(bodyTextsOf));
  const { words } = countText(text);
  if (words < STRUCTURED_BODY_MIN_WORDS || words < root.words * MIN_RATIO) return undefined;
  // If the page shows the text's opening, the chosen element is the continuation and is kept.
  const opening = collapseSpaces(text.replace(/<[^>]{0,500}>/g, ' ')).slice(0, 60);
  if (opening === '' || visibleLine(body, 50_000).includes(opening)) return undefined;
  return toElement(text, body);
}

function bodyTextsOf(node: JsonObject): unknown[] {
  const types = typesOf(node);
  const isPost = types.some((type) => /Posting$|^Question$|^Answer$|^SocialMediaPosting$/.test(type));
  const isOffered = types.includes('Product') || types.includes('JobPosting');
  return [node['articleBody'], ...(isPost ? [node['text']] : []), ...(isOffered ? [node['description']] : [])];
}

function longest(texts: readonly unknown[]): string {
  let best = '';
  for (const text of texts) if (typeof text === 'string' && text.length > best.length) best = text;
  return best.slice(0, CHARS_CAP);
}

/** Parses the text into an element: as markup if it has tags, otherwise one paragraph per line. */
function toElement(text: string, body: Element): Element {
  const isMarkup = /<(?:p|br|div|ul|h[1-6])[\s/>]/i.test(text);
  const html = isMarkup
    ? text
    : text
        .split(/\n+/)
        .map((line) => `<p>${line.replaceAll('<', '&lt;')}</p>`)
        .join('');
  const page = parsePage(html);
  measurePage(page);
  const article = new Element('article', {}, body);
  article.children.push(...page.body.children);
  article.flags = page.body.flags;
  article.words = page.body.words;
  article.linkWords = page.body.linkWords;
  article.punctuation = page.body.punctuation;
  return article;
}
