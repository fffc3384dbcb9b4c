/**
 * Scores Tidemark's markdown next to other converters: fragments with their expectations, other projects'
 * golden files, and whole pages.
 *
 *   npm run eval -- markdown [--tidemark]
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { bagScore, mean, proseOf, structureOf, tokensOf } from '../content/scores.ts';
import { casesOf, pathOf, SETS, scorePage, urlOf } from '../extraction/page-sets.ts';
import { readAll } from '../extraction/reader-pool.ts';
import { printTargets } from '../extraction/targets.ts';
import { CONVERTERS } from '../extraction/tools.ts';
import { type Case, CORPORA, hasCorpora, listIn, readCases, textIn } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { printTable, show } from '../shared/table.ts';

type Converter = (html: string, url: string) => string;

const TIDEMARK = 'tidemark';
const PROSE =
  'This is a paragraph of plain prose that stands around the case, long enough to be read as the content of the page.';

const tidemarkOf =
  (onlyMainContent: boolean): Converter =>
  (html, url) =>
    readPage({ html, url, content: { ...USUAL_CONTENT, onlyMainContent }, outputs: new Set(['markdown']) }).markdown ??
    '';

/** Wraps a fragment into a page with prose, so that it counts as content. */
const pageOf = (fragment: string): string =>
  `<html><body><main><article><p>${PROSE}</p>${fragment}<p>${PROSE}</p></article></main></body></html>`;

/** Converts a page; a converter that throws gives an empty result. */
function converted(convert: Converter, html: string, url: string): string {
  try {
    return convert(html, url);
  } catch {
    return '';
  }
}

/** Returns the reasons why a case fails. */
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

/** Evaluates cases with required and forbidden parts. @returns the share that Tidemark passes */
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
  for (const miss of results[0]?.missed ?? []) console.log(`  ${TIDEMARK} misses ${miss}`);
  console.log('');
  return 1 - (results[0]?.missed.length ?? 0) / cases.length;
}

const VARIANTS = ['fenced_backtick', 'atx', 'dash', 'inlined', 'table', 'underscores', 'default'];
/** Cases of that converter's interfaces, not of markdown. */
const NOT_MARKDOWN = /keep_remove_tag|movefrontmatter/;

/** Compares words and structure with golden files of another converter, ignoring style. */
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

/** Compares whole pages with the markdown of another tool. */
async function wholePages(tools: readonly string[]): Promise<{ text: number; structure: number }> {
  const set = SETS.find(({ name }) => name === 'defuddle');
  const figures = { text: 0, structure: 0 };
  if (!set) return figures;
  const entries = casesOf(set);
  const tasks = tools.flatMap((tool) =>
    entries.map((entry) => ({ tool, path: pathOf(entry), url: urlOf(entry), omitTitleHeading: true })),
  );
  const replies = await readAll(tasks, { processes: 2, limitMs: 10_000 });
  console.log(`${entries.length} pages of defuddle's, as its own markdown has them`);
  const rows = tools.map((tool, at) => {
    const scores = entries.map((entry, index) => scorePage(set, entry, replies[at * entries.length + index]?.response));
    const [text, structure] = [mean(scores.map((s) => s.f1)), mean(scores.map((s) => s.structureF1 ?? 0))];
    if (tool === TIDEMARK) Object.assign(figures, { text, structure });
    return [tool === 'readability' ? 'readability + turndown' : tool, show(text), show(structure)];
  });
  printTable(['tool', 'text', 'structure'], rows);
  return figures;
}

function casesIn(path: string): Case[] {
  if (!existsSync(join(CORPORA, path))) {
    notMeasured(path, `it is not at ${CORPORA}`);
    return [];
  }
  const parsed: unknown = JSON.parse(readFileSync(join(CORPORA, path), 'utf8'));
  const cases = typeof parsed === 'object' && parsed !== null && 'cases' in parsed ? parsed.cases : [];
  return Array.isArray(cases) ? cases : [];
}

if (!hasCorpora()) {
  notMeasured('markdown', `there are no labelled pages at ${CORPORA}`);
} else {
  const alone = process.argv.includes('--tidemark');
  const converters = new Map<string, Converter>([
    [TIDEMARK, tidemarkOf(true)],
    ...(alone ? [] : Object.entries(CONVERTERS)),
  ]);
  const share = fragmentCases('markdown cases', readCases('markdown/cases.json'), converters);
  fragmentCases('html-to-markdown code blocks', casesIn('markdown/go-golden/md-codeblocks.json'), converters);
  // Golden files test conversion alone, with every word of the input.
  goldenFiles(casesIn('markdown/go-golden/md-golden.json'), new Map([...converters, [TIDEMARK, tidemarkOf(false)]]));
  const { text, structure } = await wholePages(alone ? [TIDEMARK] : [TIDEMARK, 'readability', 'mdream', 'defuddle']);
  console.log('targets');
  printTargets(
    new Map([
      ['markdown cases', share],
      ['defuddle text', text],
      ['defuddle structure', structure],
    ]),
  );
}
