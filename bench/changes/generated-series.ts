import { printTable } from '../shared/table.ts';
import { atLeast, atMost, type Goal, readingOf } from './compare-readings.ts';
import type { BasePage } from './generated-pairs.ts';
import { insert, type PageEdit, rotatingLanguages } from './page-edits.ts';
import { Tokens } from './random-tokens.ts';
import { RecordedSite } from './record.ts';

const READINGS = 9;
/** Comparisons after which a block that changes on every visit must be known. */
const LEARNED_AFTER = 3;
const MAX_PAGES = 15;

/** Writes a page as the n-th reading finds it. */
type NthReading = (html: string, at: number, tokens: Tokens) => string;

const each =
  (edit: PageEdit): NthReading =>
  (html, _at, tokens) =>
    edit(html, tokens);
const path = (tokens: Tokens): string => `/r/${tokens.base64(32)}/portal`;

/** Content that differs on every visit. */
const ON_EVERY_VISIT: Readonly<Record<string, NthReading>> = {
  'a visitor counter': (html, at, tokens) =>
    insert(html, `<p class="stats">Visitors so far: ${1_014 + at * 3 + tokens.below(3)}</p>`),
  'a counter with separators': (html, at) =>
    insert(html, `<div class="total"><span>Requests served: ${(81_400 + at * 977).toLocaleString('en')}</span></div>`),
  'a line of random words': (html, _at, tokens) => insert(html, `<p class="saying">${tokens.words(9)}</p>`),
  'a quotation of the day': (html, at) => insert(html, `<blockquote><p>${QUOTES[at % QUOTES.length]}</p></blockquote>`),
  'a counter in the footer': (html, at) =>
    html.replace(/<\/body>/i, `<footer><p>You are number ${at * 7 + 21}</p></footer></body>`),
  'a token in the path of a link': (html, _at, tokens) =>
    insert(html, `<p>Open <a href="${path(tokens)}">the customer portal</a> to see it.</p>`),
  'rotating languages in the head': each(rotatingLanguages),
};

const QUOTES = [
  'Well begun is half done.',
  'Nothing is lost that a friend keeps.',
  'Slow water wears down hard rock.',
  'Every path has its puddle.',
  'A guest sees more in an hour than the host in a year.',
  'Measure twice and cut once.',
  'A rider of two horses falls between them.',
  'Old bread is still better than none.',
  'Small leaks sink large ships.',
];

/** What an author changes in every reading: it must be reported each time. */
const BY_AN_AUTHOR: Readonly<Record<string, NthReading>> = {
  'a price': (html, at) => insert(html, `<p class="offer">Only $${19 + at}.99 a month</p>`),
  'a price without a currency': (html, at) => insert(html, `<div class="price">${19 + at}.99</div>`),
  'a heading': (html, at) => insert(html, `<h2>${HEADLINES[at % HEADLINES.length]}</h2><p>Read it below.</p>`),
  'a headline in a link': (html, at) =>
    insert(html, `<ul><li><a href="/news/${at}">${HEADLINES[at % HEADLINES.length]}</a></li></ul>`),
  'a headline by its class': (html, at) =>
    insert(html, `<div class="headline">${HEADLINES[at % HEADLINES.length]}</div>`),
  'another paragraph each time': (html, at) =>
    insert(
      html,
      Array.from(
        { length: READINGS },
        (_, part) =>
          `<p>Clause ${'abcdefghi'[part]} ${part < at ? 'was reviewed and holds' : 'is under review'} until revoked.</p>`,
      ).join(''),
    ),
};

const HEADLINES = [
  'Council approves the bridge',
  'Storm closes the harbour',
  'New school opens in May',
  'Water prices to rise',
  'Museum finds a lost map',
  'Trains run again',
  'Farmers expect early frost',
  'Library extends its hours',
  'Festival moves to the park',
];

interface SeriesScore {
  /** Records with a modified page, of the comparisons that count. */
  readonly modified: number;
  readonly comparisons: number;
  /** A real edit in the last reading was found. */
  readonly isEditFound: boolean;
}

/** Evaluates series of readings: what differs on every visit is learned, what an author edits each time is not. */
export async function generatedSeries(pages: readonly BasePage[]): Promise<Goal[]> {
  const some = pages.slice(0, MAX_PAGES);
  const rows: string[][] = [];
  const score = async (edits: Readonly<Record<string, NthReading>>, from: number) => {
    const totals = { modified: 0, comparisons: 0, found: 0, series: 0 };
    for (const [kind, edit] of Object.entries(edits)) {
      const scores = await Promise.all(some.map((page) => seriesOf(page, kind, edit, from)));
      const modified = scores.reduce((sum, one) => sum + one.modified, 0);
      const comparisons = scores.reduce((sum, one) => sum + one.comparisons, 0);
      const found = scores.filter(({ isEditFound }) => isEditFound).length;
      rows.push([kind, String(comparisons), String(modified), `${found} of ${scores.length}`]);
      totals.modified += modified;
      totals.comparisons += comparisons;
      totals.found += found;
      totals.series += scores.length;
    }
    return totals;
  };
  const noise = await score(ON_EVERY_VISIT, LEARNED_AFTER);
  const authored = await score(BY_AN_AUTHOR, 0);
  console.log(
    `series of ${READINGS} readings of ${some.length} pages; content of every visit from comparison ${LEARNED_AFTER + 1} on`,
  );
  printTable(['what differs in every reading', 'comparisons', 'modified', 'edit in the last reading found'], rows);
  return [
    atMost('counters: records with an entry once learned', noise.modified / noise.comparisons, 0.015),
    atLeast('counters: real edits beside them found', noise.found / noise.series, 0.98),
    atLeast(
      'counters: edits an author makes in every reading, reported',
      authored.modified / authored.comparisons,
      0.98,
    ),
  ];
}

async function seriesOf(page: BasePage, kind: string, edit: NthReading, from: number): Promise<SeriesScore> {
  const tokens = new Tokens(`${page.name} ${kind}`);
  const reading = (at: number, html = page.html) =>
    new Map([[page.url, readingOf({ html: edit(html, at, tokens), url: page.url })]]);
  const site = new RecordedSite(reading(0));
  let [modified, comparisons] = [0, 0];
  for (let at = 1; at < READINGS; at++) {
    const { head } = await site.next(reading(at));
    if (at <= from) continue;
    comparisons += 1;
    if (head.counts.modified > 0) modified += 1;
  }
  const edited = await site.next(
    reading(READINGS, insert(page.html, '<p>This paragraph was added by its author.</p>')),
  );
  return { modified, comparisons, isEditFound: edited.head.counts.modified > 0 };
}
