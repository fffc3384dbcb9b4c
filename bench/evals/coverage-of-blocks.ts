/**
 * Measures, on every page of the corpora, which words of the extracted text no comparison covers: words in no block, and words in
 * blocks outside the content, whose changes make no entry.
 *
 *   npm run eval -- coverage-of-blocks [--worst 20]
 */
import { parseArgs } from 'node:util';
import { coverageOfCorpora, type PageCoverage } from '../changes/block-coverage.ts';
import { CORPORA, hasCorpora } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { printTable } from '../shared/table.ts';

/** Shares of a page's words. No page may miss more than the third. */
const SHARES = [0, 0.001, 0.005, 0.01, 0.05];
const MOST = 0.005;

const percent = (share: number): string => `${(share * 100).toFixed(share < 0.01 ? 2 : 1)} %`;
const shareOf = (missing: readonly string[], { words }: PageCoverage): number => missing.length / Math.max(1, words);
const uncut = (page: PageCoverage): number => shareOf(page.uncut, page);
const uncounted = (page: PageCoverage): number => shareOf(page.uncounted, page);

function row(name: string, pages: readonly PageCoverage[], missing: (page: PageCoverage) => number): string[] {
  const above = SHARES.map((share) => pages.filter((page) => missing(page) > share).length);
  const words = pages.reduce((sum, page) => sum + page.words, 0);
  const missed = pages.reduce((sum, page) => sum + missing(page) * page.words, 0);
  return [name, String(pages.length), percent(missed / Math.max(1, words)), ...above.map(String)];
}

function print(
  title: string,
  sets: ReadonlyMap<string, readonly PageCoverage[]>,
  missing: (page: PageCoverage) => number,
): void {
  const all = [...sets.values()].flat();
  console.log(title);
  printTable(
    ['corpus', 'pages', 'of all words', ...SHARES.map((share) => `> ${percent(share)}`)],
    [...[...sets].map(([name, pages]) => row(name, pages, missing)), row('all', all, missing)],
  );
  for (const page of all
    .filter((one) => missing(one) > MOST)
    .toSorted((one, other) => missing(other) - missing(one))
    .slice(0, worst))
    console.log(`  ${percent(missing(page)).padStart(7)} of ${page.words} words  ${page.page}: ${page.reason}`);
  console.log('');
}

const { values } = parseArgs({ options: { worst: { type: 'string', default: '20' } } });
const worst = Number(values.worst);

if (!hasCorpora()) {
  notMeasured('coverage-of-blocks', `there are no pages at ${CORPORA}`);
} else {
  const sets = await coverageOfCorpora();
  print('words of the text in no block: pages by the share that is missing', sets, uncut);
  print('words of the text in no block of the content: pages by the share that is missing', sets, uncounted);
  const all = [...sets.values()].flat();
  const disordered = all.filter((page) => page.uncut.length === 0 && !page.isInOrder);
  console.log(`pages whose words are all in blocks, in another order: ${disordered.length}`);
  for (const { page } of disordered.slice(0, worst)) console.log(`  ${page}`);
  const failed = all.filter((page) => Math.max(uncut(page), uncounted(page)) > MOST).length;
  console.log(
    `target: pages that miss more than ${percent(MOST)} of their words, in any block or in those of the content: ${failed} of ${all.length}, ${failed === 0 ? 'met' : 'MISSED'}`,
  );
  if (failed > 0) process.exitCode = 1;
}
