/**
 * Reads the robots.txt cases of other parsers, and prints every miss.
 *
 *   npm run eval -- robots
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RobotsPolicy, readRobots, robotsText } from '@tidemark/robots';
import { type Case, CORPORA, hasCorpora, listIn, numberIn, readCases, textIn } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';

/** Documented differences from other parsers. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  getPreferredHost: 'Host lines are not part of RFC 9309 and not used here',
};

interface CaseResult {
  readonly id: string;
  readonly what: string;
  /** Empty where the result is right. */
  readonly miss: string;
  readonly documented?: string;
}

const policyFor = (robotsUrl: string, body: string, agent: string): RobotsPolicy =>
  readRobots(robotsUrl, { status: 200, body }, agent);

function googleCase(entry: Case): CaseResult {
  // Google's parser reads an empty URL as the home page.
  const url = textIn(entry, 'url') || 'http://example.com/';
  const what = textIn(entry, 'test');
  const robotsUrl = URL.parse('/robots.txt', url)?.href;
  const { decide } = policyFor(
    robotsUrl ?? 'http://example.com/robots.txt',
    textIn(entry, 'robots'),
    textIn(entry, 'agent'),
  );
  const { allowed } = decide(url);
  return { id: textIn(entry, 'id'), what, miss: allowed === entry['allowed'] ? '' : `allowed ${allowed} for ${url}` };
}

function parserCase(entry: Case): CaseResult {
  const [id, what, method] = [textIn(entry, 'id'), textIn(entry, 'test'), textIn(entry, 'method')];
  const difference = DIFFERENCES[method];
  if (difference !== undefined) return { id, what, miss: method, documented: difference };
  const [first = '', second = '*'] = listIn(entry, 'args');
  const agent = method === 'getCrawlDelay' ? first : second;
  const robotsUrl =
    URL.parse(textIn(entry, 'robotsUrl'), 'http://example.com/')?.href ?? 'http://example.com/robots.txt';
  const read = policyFor(robotsUrl, textIn(entry, 'robots'), agent);
  const expected = entry['expected'] ?? undefined;
  const got = resultOf(read, method, new URL(first, robotsUrl).href);
  if (method.startsWith('is') && isElsewhere(first, textIn(entry, 'robotsUrl')))
    return { id, what, miss: 'another host', documented: 'this file is never applied to a page of another host' };
  if (method === 'getSitemaps' && listIn(entry, 'expected').some((one) => !URL.canParse(one)))
    return { id, what, miss: 'relative', documented: 'a relative sitemap is returned as an absolute URL' };
  const same = JSON.stringify(got) === JSON.stringify(expected);
  return { id, what, miss: same ? '' : `${method} wants ${JSON.stringify(expected)}, got ${JSON.stringify(got)}` };
}

/** Each origin has its own robots.txt, so that no file is applied to another origin's page. */
const isElsewhere = (url: string, robotsUrl: string): boolean =>
  URL.parse(url)?.origin !== URL.parse(robotsUrl)?.origin || !URL.canParse(robotsUrl, 'http://example.com/');

function resultOf(read: RobotsPolicy, method: string, url: string): unknown {
  if (method === 'getCrawlDelay') return read.crawlDelaySeconds;
  if (method === 'getSitemaps') return read.sitemaps;
  if (method === 'getMatchingLineNumber') return read.decide(url).line ?? -1;
  return read.decide(url).allowed === (method === 'isAllowed');
}

/** Reads a file from its bytes: it must not throw, and every sitemap line with a URL must be found. */
function fileCase(folder: string, name: string, counted: number | undefined): CaseResult {
  const body = robotsText(readFileSync(join(CORPORA, 'robots', folder, name)));
  const read = policyFor('https://example.com/robots.txt', body, 'Tidemark');
  read.decide('https://example.com/any/page?q=1');
  const lines = body.split(/[\r\n]+/).flatMap((line) => /^\s*site-?map\s*:\s*([^#\s]+)/i.exec(line)?.[1] ?? []);
  const urls = new Set(lines.flatMap((one) => URL.parse(one, 'https://example.com/')?.href ?? []));
  const right = read.sitemaps.length === urls.size && (counted === undefined || lines.length >= counted);
  const miss = right ? '' : `${read.sitemaps.length} sitemaps of ${urls.size} named, ${counted ?? '-'} lines counted`;
  return { id: `${folder}/${name}`, what: 'sitemap lines', miss };
}

function filesOf(folder: string): CaseResult[] {
  const names = readdirSync(join(CORPORA, 'robots', folder)).filter((name) => name !== 'index.json');
  const index = folder === 'real' ? readCases('robots/real/index.json') : [];
  const countOf = (name: string): number | undefined => {
    const entry = index.find((one) => [textIn(one, 'file'), textIn(one, 'id')].some((id) => id.includes(name)));
    return entry === undefined ? undefined : numberIn(entry, 'sitemapLines');
  };
  return names.map((name) => fileCase(folder, name, countOf(name)));
}

function show(set: string, outcomes: readonly CaseResult[]): boolean {
  const misses = outcomes.filter(({ miss }) => miss !== '');
  const documented = misses.filter((one) => one.documented !== undefined);
  const met = misses.length === documented.length;
  const differences = documented.length === 0 ? '' : `, ${documented.length} documented differences`;
  console.log(
    `${set.padEnd(28)}${outcomes.length - misses.length} of ${outcomes.length}${differences}   ${met ? 'met' : 'MISSED'}`,
  );
  for (const { id, what, miss, documented: why } of misses)
    console.log(`  ${id} ${what}: ${miss}${why ? ` (${why})` : ''}`);
  return met;
}

if (!hasCorpora()) {
  notMeasured('robots', `there are no robots.txt cases at ${CORPORA}`);
} else {
  const met = [
    show("google's cases", readCases('robots/cases.json').map(googleCase)),
    show("robots-parser's cases", readCases('robots/robots-parser-cases.json').map(parserCase)),
    show('files of crawler-commons', filesOf('crawler-commons-files')),
    show('files of large sites', filesOf('real')),
  ];
  console.log(`\ngoal: every case but documented differences   ${met.every(Boolean) ? 'met' : 'MISSED'}`);
}
