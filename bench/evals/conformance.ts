/**
 * Compares with the test suites and real pages of others what the tests check with tables of their own: parsing of HTML, of URLs and of feeds,
 * and cleaned markup. Prints every miss.
 *
 *   npm run eval -- conformance
 */
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { Flag, measurePage, type Page, parsePage, toText } from '@tidemark/page-reader/stages';
import { parseByStandard } from '@tidemark/page-reader/testing/conforming-page';
import { dangersIn } from '@tidemark/page-reader/testing/dangers-in';
import { normalizeUrl, parseWebUrl } from '../../libs/web-url/src/index.ts';
import { parseDocument } from '../../services/map/src/parsing/parse-document.ts';
import { type Case, CORPORA, numberIn, readCases, textIn } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';

const MAX_BYTES = 50 * 1024 * 1024;
const BASE = 'http://base.example/';
/** A case of feedparser whose expectation is the link of its first entry. */
const LINK = /^(?:not bozo and )?entries\[0\]\['link'\] == u?'([^']*)'$/;

/** What one set gives: the number of its cases, and a line for each miss. */
interface Outcome {
  readonly cases: number;
  readonly misses: readonly string[];
}

interface SetOfOthers {
  readonly name: string;
  /** Folder or file in the corpora. */
  readonly path: string;
  readonly compare: () => Outcome | Promise<Outcome>;
}

function textOf(page: Page): string {
  measurePage(page);
  return toText([page.body], Flag.notRendered);
}

const textOfHtml = (html: string): string => textOf(parsePage(html));

/** Whether a page is measured with the content of noscript, which is an accepted difference from the standard. */
const showsNoscript = (html: string): boolean =>
  textOfHtml(html) !== textOfHtml(html.replace(/<noscript[\s>][\s\S]*?<\/noscript>/gi, ''));

function pages(): Outcome {
  const folder = join(CORPORA, 'pages');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html.gz'));
  const misses = files.filter((name) => {
    const html = gunzipSync(readFileSync(join(folder, name))).toString();
    return textOfHtml(html) !== textOf(parseByStandard(html)) && !showsNoscript(html);
  });
  return { cases: files.length, misses };
}

function attacks(): Outcome {
  const payloads = readCases('attack/DOMPurify/expect.json').map((entry) => String(entry['payload']));
  const clean = (html: string): string =>
    readPage({ html, url: 'https://site.example/', content: USUAL_CONTENT, outputs: new Set(['cleanHtml']) })
      .cleanHtml ?? '';
  const misses = payloads.flatMap((payload) =>
    dangersIn(clean(payload)).map((danger) => `${danger} in ${payload.slice(0, 80)}`),
  );
  return { cases: payloads.length, misses };
}

/** A case with an invalid base tests the base. */
const isAbsolute = (entry: Case): boolean => {
  const base = entry['base'];
  return textIn(entry, 'input') !== '' && (typeof base !== 'string' || URL.canParse(base));
};

function urls(file: string): Outcome {
  const cases = readCases(`attack/wpt-url/${file}`).filter(isAbsolute);
  const misses = cases.flatMap((entry) => {
    const input = textIn(entry, 'input');
    const parsed = parseWebUrl(input);
    if (!parsed.ok) return [];
    if (entry['failure'] === true) return [`${input} is accepted`];
    const href = textIn(entry, 'href');
    return href === '' || href === parsed.url.href ? [] : [`${input} is ${parsed.url.href}, expected ${href}`];
  });
  return { cases: cases.length, misses };
}

function normalized(): Outcome {
  const file = readFileSync(join(CORPORA, 'urls/crawler-commons-weirdToNormalizedUrls.csv'), 'utf8');
  const pairs = file.split('\n').flatMap((line) => {
    const [weird = '', normal = ''] = line.split(', ');
    if (line.startsWith('#') || !weird.startsWith('http') || !URL.canParse(weird) || !URL.canParse(normal)) return [];
    // crawler-commons changes query order and empty path segments; normalizeUrl does not, because they may select another page.
    const { pathname, search } = new URL(weird);
    return pathname.includes('//') || search.includes('&') ? [] : [[weird, normal] as const];
  });
  const misses = pairs
    .filter(([weird, normal]) => normalizeUrl(weird) !== normalizeUrl(normal))
    .map(([weird, normal]) => `${weird} is ${normalizeUrl(weird)}, expected ${normalizeUrl(normal)}`);
  return { cases: pairs.length, misses };
}

async function urlsIn(file: string): Promise<{ entries: string[]; children: number }> {
  const entries: string[] = [];
  let children = 0;
  const sink = {
    entry: (loc: string, _lastmod: string, _freq: string, base = BASE) =>
      entries.push(URL.parse(loc, base)?.href ?? loc) > 0,
    child: () => {
      children += 1;
      return true;
    },
    alternate: () => undefined,
  };
  await parseDocument(createReadStream(join(CORPORA, file)), sink, MAX_BYTES);
  return { entries, children };
}

async function sitemaps(): Promise<Outcome> {
  const cases = readCases('sitemaps/index.json');
  const misses: string[] = [];
  for (const entry of cases) {
    const { entries, children } = await urlsIn(`sitemaps/${textIn(entry, 'file')}`);
    const found = textIn(entry, 'kind') === 'index' ? children : entries.length;
    const expected = numberIn(entry, 'entries');
    if (found !== expected) misses.push(`${textIn(entry, 'file')}: ${found} entries, expected ${expected}`);
  }
  return { cases: cases.length, misses };
}

async function feeds(): Promise<Outcome> {
  const cases = readCases('feeds/feedparser-index.json').flatMap((entry) => {
    const link = LINK.exec(textIn(entry, 'expect'))?.[1];
    // Cases of http_item set the base URL by a header, which the parser does not receive.
    const file = textIn(entry, 'file');
    return link === undefined || file.includes('http_item') ? [] : [{ file, link: new URL(link, BASE).href }];
  });
  const misses: string[] = [];
  for (const { file, link } of cases) {
    const [first] = (await urlsIn(`feeds/${file}`)).entries;
    if (first !== link) misses.push(`${file}: ${first}, expected ${link}`);
  }
  return { cases: cases.length, misses };
}

const SETS: readonly SetOfOthers[] = [
  { name: 'text of real pages, next to parse5', path: 'pages', compare: pages },
  { name: 'markup attacks of DOMPurify', path: 'attack/DOMPurify', compare: attacks },
  ...['urltestdata.json', 'ada_extra_urltestdata.json', 'verifydnslength_tests.json'].map((file) => ({
    name: `web-platform-tests ${file}`,
    path: `attack/wpt-url/${file}`,
    compare: () => urls(file),
  })),
  {
    name: 'normal forms of crawler-commons',
    path: 'urls/crawler-commons-weirdToNormalizedUrls.csv',
    compare: normalized,
  },
  { name: 'sitemaps of crawler-commons and trafilatura', path: 'sitemaps/index.json', compare: sitemaps },
  { name: 'feeds of feedparser', path: 'feeds/feedparser-index.json', compare: feeds },
];

for (const { name, path, compare } of SETS) {
  if (!existsSync(join(CORPORA, path))) {
    notMeasured(name, `${join(CORPORA, path)} does not exist`);
    continue;
  }
  const { cases, misses } = await compare();
  const met = misses.length === 0 ? 'met' : 'MISSED';
  console.log(`${name.padEnd(48)}${cases - misses.length} of ${cases}   ${met}`);
  for (const miss of misses) console.log(`  ${miss}`);
}
