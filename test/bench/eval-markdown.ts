/**
 * Scores the markdown Tidemark writes beside other converters: fragments with their expectations, other projects'
 * golden files, and whole pages.
 *
 *   npm run eval:markdown [-- --ours]
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPage, USUAL_CONTENT } from '../../services/scrape/src/content/read-page.ts';
import { type Case, CORPORA, hasCorpora, listIn, readCases, textIn } from './content-corpora.ts';
import { bagScore, mean, proseOf, structureOf, tokensOf } from './content-scores.ts';
import { readAll } from './eval-pool.ts';
import { casesOf, SETS, scorePage, urlOf } from './eval-sets.ts';
import { printTargets } from './eval-targets.ts';
import { CONVERTERS } from './eval-tools.ts';
import { printTable, show } from './eval-totals.ts';

type Converter = (html: string, url: string) => string;

const OURS = 'tidemark';
const PROSE =
  'This is a paragraph of plain prose that stands around the case, long enough to be read as the content of the page.';

const oursOf =
  (onlyMainContent: boolean): Converter =>
  (html, url) =>
    readPage({ html, url, content: { ...USUAL_CONTENT, onlyMainContent }, outputs: new Set(['markdown']) }).markdown ??
    '';

/** A fragment as a page: the prose around it makes it content. */
const pageOf = (fragment: string): string =>
  `<html><body><main><article><p>${PROSE}</p>${fragment}<p>${PROSE}</p></article></main></body></html>`;

/** What a converter makes of a page; one that throws has made nothing. */
function converted(convert: Converter, html: string, url: string): string {
  try {
    return convert(html, url);
  } catch {
    return '';
  }
}

/** Why a case fails, one line a miss. */
function missesOf(entry: Case, markdown: string): string[] {
  return [
    ...[...listIn(entry, 'expected_contains'), ...listIn(entry, 'contains')]
      .filter((part) => !markdown.includes(part))
      .map((part) => `lacks ${JSON.stringify(part)}`),
    ...listIn(entry, 'expected_match')
      .filter((pattern) => !new RegExp(pattern, 'm').test(markdown))
      .map((pattern) => `does not match ${JSON.stringify(pattern)}`),
    ...[...listIn(entry, 'expected_not'), ...listIn(entry, 'not_contains')]
      .filter((part) => markdown.includes(part))
      .map((part) => `holds ${JSON.stringify(part)}`),
  ];
}

/** Cases with parts that must and must not be there; the share passed by us. */
function fragmentCases(name: string, cases: readonly Case[], converters: ReadonlyMap<string, Converter>): number {
  const results = [...converters].map(([tool, convert]) => {
    const missed = cases.flatMap((entry) => {
      const url = `https://example.com${textIn(entry, 'base') || '/docs/page.html'}`;
      const misses = missesOf(entry, converted(convert, pageOf(textIn(entry, 'html')), url));
      return misses.length === 0 ? [] : [`${textIn(entry, 'name')}: ${misses[0]}`];
    });
    return { tool, missed };
  });
  console.log(`${name}: ${cases.length} cases`);
  printTable(
    ['tool', 'passed', 'share'],
    results.map(({ tool, missed }) => [
      tool,
      String(cases.length - missed.length),
      show(1 - missed.length / cases.length),
    ]),
  );
  for (const miss of results[0]?.missed ?? []) console.log(`  ${OURS} misses ${miss}`);
  console.log('');
  return 1 - (results[0]?.missed.length ?? 0) / cases.length;
}

const VARIANTS = ['fenced_backtick', 'atx', 'dash', 'inlined', 'table', 'underscores', 'default'];
/** Interfaces of that converter rather than markdown. */
const NOT_MARKDOWN = /keep_remove_tag|movefrontmatter/;

/** Golden files of another converter: the share of words and of structure that is the same, whatever the style. */
function goldenFiles(cases: readonly Case[], converters: ReadonlyMap<string, Converter>): void {
  const used = cases.flatMap((entry) => {
    const { expected } = entry;
    if (NOT_MARKDOWN.test(textIn(entry, 'name')) || typeof expected !== 'object' || expected === null) return [];
    const written: Map<string, unknown> = new Map(Object.entries(expected));
    const variant = VARIANTS.map((name) => written.get(name)).find((text) => typeof text === 'string');
    return typeof variant === 'string'
      ? [{ html: textIn(entry, 'html'), expected: `${PROSE}\n\n${variant}\n\n${PROSE}` }]
      : [];
  });
  console.log(`html-to-markdown golden files: ${used.length} (words and structure, not style)`);
  const rows = [...converters].map(([tool, convert]) => {
    const written = used.map(({ html }) => converted(convert, pageOf(html), 'http://example.com/'));
    const words = (text: string): string[] => tokensOf(proseOf(text).toLowerCase());
    const texts = used.map(({ expected }, at) => bagScore(words(written[at] ?? ''), words(expected)).f1);
    const structures = used.map(
      ({ expected }, at) => bagScore(structureOf(written[at] ?? ''), structureOf(expected)).f1,
    );
    return [tool, show(mean(texts)), show(mean(structures))];
  });
  printTable(['tool', 'text', 'structure'], rows);
}

/** Whole pages with the markdown another tool makes of them. */
async function wholePages(tools: readonly string[]): Promise<{ text: number; structure: number }> {
  const set = SETS.find(({ name }) => name === 'defuddle');
  const figures = { text: 0, structure: 0 };
  if (!set) return figures;
  const entries = casesOf(set);
  const tasks = tools.flatMap((tool) =>
    entries.map((entry) => ({ tool, path: join(CORPORA, set.folder, textIn(entry, 'file')), url: urlOf(entry) })),
  );
  const replies = await readAll(tasks, { processes: 2, limitMs: 10_000 });
  console.log(`${entries.length} pages of defuddle's, as its own markdown has them`);
  const rows = tools.map((tool, at) => {
    const scores = entries.map((entry, index) => scorePage(set, entry, replies[at * entries.length + index]?.answer));
    const [text, structure] = [mean(scores.map((s) => s.f1)), mean(scores.map((s) => s.structureF1 ?? 0))];
    if (tool === OURS) Object.assign(figures, { text, structure });
    return [tool === 'readability' ? 'readability + turndown' : tool, show(text), show(structure)];
  });
  printTable(['tool', 'text', 'structure'], rows);
  return figures;
}

function casesIn(path: string): Case[] {
  if (!existsSync(join(CORPORA, path))) return [];
  const parsed: unknown = JSON.parse(readFileSync(join(CORPORA, path), 'utf8'));
  const cases = typeof parsed === 'object' && parsed !== null && 'cases' in parsed ? parsed.cases : [];
  return Array.isArray(cases) ? cases : [];
}

if (!hasCorpora()) {
  console.log(`no labelled pages at ${CORPORA}: nothing scored`);
} else {
  const alone = process.argv.includes('--ours');
  const converters = new Map<string, Converter>([[OURS, oursOf(true)], ...(alone ? [] : Object.entries(CONVERTERS))]);
  const share = fragmentCases('markdown cases', readCases('markdown/cases.json'), converters);
  fragmentCases('html-to-markdown code blocks', casesIn('markdown/go-golden/md-codeblocks.json'), converters);
  // Golden files are of conversion alone, of every word that is there.
  goldenFiles(casesIn('markdown/go-golden/md-golden.json'), new Map([...converters, [OURS, oursOf(false)]]));
  const { text, structure } = await wholePages(alone ? [OURS] : [OURS, 'readability', 'mdream', 'defuddle']);
  console.log('targets');
  printTargets(
    new Map([
      ['markdown cases', share],
      ['defuddle text', text],
      ['defuddle structure', structure],
    ]),
  );
}
