import { toText } from '../output/write-text.ts';
import { measurePage } from '../tree/measure-page.ts';
import { collapseSpaces, Flag } from '../tree/page-tree.ts';
import { parsePage } from '../tree/parse-page.ts';
import { type DocumentContent, type DocumentLimits, defined } from './model/document.ts';
import { ITEMS, SUMMARY_CHARS, SUMMARY_HTML_CHARS } from './model/thresholds.ts';
import { escapeHtml, heading, link, paragraph } from './model/write-html.ts';
import { childOf, childrenOf, elementsOf, findAll, textOf, type XmlElement } from './xml-tree.ts';

export interface Feed {
  readonly title: string;
  readonly description: string;
  readonly link: string;
  readonly language: string;
  readonly items: readonly FeedItem[];
}

export interface FeedItem {
  readonly title: string;
  readonly link: string;
  readonly date: string;
  readonly author: string;
  /** Html or text. */
  readonly summary: string;
}

/** Writes a feed as a list of its entries. */
export function writeFeed(feed: Feed, kind: string, limits: DocumentLimits): DocumentContent {
  const items = feed.items.slice(0, Math.min(ITEMS, limits.rows));
  const head = heading(1, feed.title) + paragraph(visibleLine(feed.description));
  const home = feed.link === '' ? '' : `<p>${link(feed.link, escapeHtml(feed.link))}</p>\n`;
  const notes =
    items.length < feed.items.length ? [`feed cut after ${items.length} of ${feed.items.length} items`] : [];
  return {
    html: head + home + items.map(writeItem).join(''),
    ...defined({ title: feed.title, language: feed.language }),
    properties: { kind, items: feed.items.length },
    notes,
    shape: 'listing',
  };
}

function writeItem({ title, link: url, date, author, summary }: FeedItem): string {
  const name = visibleLine(title) || url;
  const by = [dateOf(date), author].filter((each) => each !== '').join(' · ');
  const head = name === '' ? '' : `<h2>${link(url, escapeHtml(name))}</h2>\n`;
  return `<article>${head}${paragraph(by)}${paragraph(visibleLine(summary))}</article>\n`;
}

/** Returns html as one line of text, so that markup of a summary does not affect other entries. */
function visibleLine(html: string): string {
  if (!/[<&]/.test(html)) return collapseSpaces(html).slice(0, SUMMARY_CHARS);
  const page = parsePage(html.slice(0, SUMMARY_HTML_CHARS));
  measurePage(page);
  return collapseSpaces(toText([page.body], Flag.notRendered)).slice(0, SUMMARY_CHARS);
}

function dateOf(text: string): string {
  const at = Date.parse(text);
  return Number.isNaN(at)
    ? collapseSpaces(text).slice(0, 100)
    : new Date(at).toISOString().slice(0, 16).replace('T', ' ');
}

const fieldText = (element: XmlElement | undefined, ...names: string[]): string => {
  for (const name of names) {
    const text = textOf(childOf(element, name)).trim();
    if (text !== '') return text;
  }
  return '';
};

/** Parses RSS 2.0, RSS 1.0 and Atom (RFC 4287). Returns undefined for another root element. */
export function feedIn(root: XmlElement): Feed | undefined {
  if (root.name === 'feed') return atom(root);
  if (root.name !== 'rss' && root.name !== 'RDF') return undefined;
  const channel = childOf(root, 'channel');
  if (channel === undefined) return undefined;
  const items = [...childrenOf(channel, 'item'), ...childrenOf(root, 'item')];
  return {
    title: fieldText(channel, 'title'),
    description: fieldText(channel, 'description'),
    link:
      elementsOf(channel)
        .filter(({ name }) => name === 'link')
        .map(textOf)
        .find((url) => url.trim() !== '')
        ?.trim() ?? '',
    language: fieldText(channel, 'language'),
    items: items.map((item) => ({
      title: fieldText(item, 'title'),
      link: fieldText(item, 'link') || permalink(item),
      date: fieldText(item, 'pubDate', 'date', 'updated'),
      author: fieldText(item, 'creator', 'author'),
      summary: fieldText(item, 'description', 'summary', 'encoded'),
    })),
  };
}

const permalink = (item: XmlElement): string => {
  const guid = childOf(item, 'guid');
  const text = textOf(guid).trim();
  return guid?.attributes['isPermaLink'] !== 'false' && /^https?:/i.test(text) ? text : '';
};

function atom(root: XmlElement): Feed {
  return {
    title: fieldText(root, 'title'),
    description: fieldText(root, 'subtitle'),
    link: alternate(root),
    language: root.attributes['xml:lang'] ?? '',
    items: childrenOf(root, 'entry').map((entry) => ({
      title: fieldText(entry, 'title'),
      link: alternate(entry),
      date: fieldText(entry, 'published', 'updated'),
      author: fieldText(childOf(entry, 'author'), 'name'),
      summary: fieldText(entry, 'summary', 'content') || fieldText(findAll(entry, 'group')[0], 'description'),
    })),
  };
}

const alternate = (element: XmlElement): string => {
  const links = childrenOf(element, 'link');
  const named = links.find(({ attributes }) => (attributes['rel'] ?? 'alternate') === 'alternate') ?? links[0];
  return named?.attributes['href']?.trim() ?? '';
};
