import { USUAL } from '../site/options.ts';
import { treePageHtml } from '../site/page-html.ts';
import { SECTIONS, SitePlan } from '../site/plan.ts';
import { headingOf, sentenceOf } from '../site/words.ts';
import { integerOf, randomOf } from './random.ts';

/** A page as it was served. */
export interface BenchPage {
  readonly url: string;
  readonly body: Uint8Array;
}

const PAGES = 60;
const SITE_PAGES = 600;
const PARAGRAPHS = 6_000;
const LIST_ITEMS = 18_000;
const TABLE_ROWS = 9_000;

/** Returns pages of the test site: some 42 KB each. */
export function sitePages(count = PAGES): BenchPage[] {
  const plan = new SitePlan({ ...USUAL, pages: Math.max(SITE_PAGES, 2 * count) });
  const ids = plan.ids(1).filter((id) => id > SECTIONS.length);
  return ids.slice(0, count).map((id) => ({
    url: `http://127.0.0.1${plan.pathOf(id)}`,
    body: Buffer.from(treePageHtml(plan, id, 1)),
  }));
}

const pageOf = (title: string, main: string): string =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1>${main}</main></body></html>`;

/** Returns pages of more than a megabyte: text with line breaks, a list of links, and a table. */
export function largePages(): { name: string; html: string }[] {
  const next = randomOf(1);
  const times = (count: number, part: (at: number) => string): string =>
    Array.from({ length: count }, (_, at) => part(at)).join('\n');
  const text = times(PARAGRAPHS, () => `<p>${sentenceOf(next)}<br>${sentenceOf(next)}<br>${sentenceOf(next)}</p>`);
  const list = times(LIST_ITEMS, (at) => `<li><a href="/entry/${at}" title="${at}">${headingOf(next)}</a></li>`);
  const cells = (): string => times(9, () => `<td>${integerOf(next, 1, 99_999)}</td>`);
  const rows = times(TABLE_ROWS, () => `<tr><td>${headingOf(next)}</td>${cells()}</tr>`);
  return [
    { name: 'text', html: pageOf('A long text', text) },
    { name: 'list', html: pageOf('A long list', `<ul>${list}</ul>`) },
    { name: 'table', html: pageOf('A long table', `<table><tbody>${rows}</tbody></table>`) },
  ];
}
