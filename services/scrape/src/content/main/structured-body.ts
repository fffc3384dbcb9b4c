import { type JsonObject, typesOf } from '../head/json-ld.ts';
import { weigh } from '../tree/count-words.ts';
import { measurePage } from '../tree/measure-page.ts';
import { collapse, Element, lineOf } from '../tree/page-tree.ts';
import { parsePage } from '../tree/parse-page.ts';

/** A page that shows more than this is read as it is shown. */
const SHOWN_CAP = 250;
/** The description must say this many times more than what is shown. */
const TIMES = 2;
const LEAST_WORDS = 60;
const CHARS_CAP = 200_000;

/**
 * The content as the page's structured data has it, where scripts would have shown it and little else is there:
 * `articleBody`, a post's `text`, a product's `description`. https://schema.org/articleBody
 */
export function describedBody(body: Element, root: Element, jsonLd: readonly JsonObject[]): Element | undefined {
  if (root.words > SHOWN_CAP) return undefined;
  const text = longest(jsonLd.flatMap(bodiesOf));
  const { words } = weigh(text);
  if (words < LEAST_WORDS || words < root.words * TIMES) return undefined;
  // The page shows its beginning elsewhere: then what was chosen is the part to read on in.
  const beginning = collapse(text.replace(/<[^>]{0,500}>/g, ' ')).slice(0, 60);
  if (beginning === '' || lineOf(body, 50_000).includes(beginning)) return undefined;
  return written(text, body);
}

function bodiesOf(node: JsonObject): unknown[] {
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

/** The text as an element of its own: markup is read as such, plain text by its lines. */
function written(text: string, body: Element): Element {
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
  article.marks = page.body.marks;
  article.words = page.body.words;
  article.linkWords = page.body.linkWords;
  article.stops = page.body.stops;
  return article;
}
