/**
 * Scores verdicts on the labelled pages and snippets, and prints every miss. The mean over five folds by origin, with the
 * labels weighted alike, is the figure that predicts unseen pages.
 *
 *   npm run eval -- verdict
 */

import { generatePage } from '@tidemark/page-reader/testing/verdicts/generated-pages';
import { verdictOfPage } from '@tidemark/page-reader/testing/verdicts/page-verdict';
import { BAD_PAGES, GOOD_PAGES, type VerdictCase } from '@tidemark/page-reader/testing/verdicts/verdict-cases';
import { mean } from '../content/scores.ts';
import {
  type EvaluatedCase,
  evaluatedPages,
  evaluatedRealPages,
  evaluatedSnippets,
  isPassed,
} from '../content/verdict-sets.ts';
import { FOLDS } from '../extraction/folds.ts';
import { CORPORA, hasCorpora } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { printTable, show } from '../shared/table.ts';

const share = (part: number, whole: number): number => part / (whole || 1);
const percent = (value: number): string => `${(100 * value).toFixed(1)} %`;
const isRight = ({ accept, found }: EvaluatedCase): boolean => accept.includes(found);

function printMatrix(pages: readonly EvaluatedCase[]): void {
  const found = [...new Set(pages.map((page) => page.found))].sort();
  console.log(`\n${'label'.padEnd(12)}${['pages', ...found, 'right'].map((name) => name.padStart(12)).join('')}`);
  for (const label of [...new Set(pages.map((page) => page.label))].sort()) {
    const row = pages.filter((page) => page.label === label);
    const counts = found.map((name) => row.filter((page) => page.found === name).length || '');
    const right = percent(share(row.filter(isRight).length, row.length));
    console.log(
      `${label.padEnd(12)}${[row.length, ...counts, right].map((cell) => String(cell).padStart(12)).join('')}`,
    );
  }
}

/** Prints one goal and whether this run meets it. */
function goal(what: string, value: number, expected: { atLeast?: number; atMost?: number }): void {
  const { atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY } = expected;
  const bound = expected.atLeast === undefined ? `at most ${percent(atMost)}` : `at least ${percent(atLeast)}`;
  const met = value >= atLeast && value <= atMost ? 'met' : 'MISSED';
  console.log(`  ${what.padEnd(52)}${percent(value).padStart(9)}   ${bound.padEnd(20)} ${met}`);
}

function recall(pages: readonly EvaluatedCase[], labels: readonly string[]): number {
  const of = pages.filter(({ label }) => labels.includes(label));
  return share(of.filter(isRight).length, of.length);
}

function printPages(pages: readonly EvaluatedCase[], real: readonly EvaluatedCase[]): void {
  const good = pages.filter(({ label }) => isPassed(label));
  const bad = pages.filter(({ label }) => !isPassed(label));
  const refused = [...good, ...real].filter(({ found }) => !isPassed(found));
  console.log('\ngoals');
  goal('right', share(pages.filter(isRight).length, pages.length), { atLeast: 0.9 });
  const refusedGood = good.filter(({ found }) => !isPassed(found)).length;
  goal('real pages refused', share(refusedGood, good.length), { atMost: 0.015 });
  goal('bad pages passed as ok or thin', share(bad.filter(({ found }) => isPassed(found)).length, bad.length), {
    atMost: 0.08,
  });
  goal('soft 404s found', recall(pages, ['notfound']), { atLeast: 50 / 55 });
  goal('log-ins found', recall(pages, ['login']), { atLeast: 42 / 47 });
  goal('shells found', recall(pages, ['shell']), { atLeast: 44 / 46 });
  goal('captchas and refusals found', recall(pages, ['captcha', 'blocked']), { atLeast: 47 / 50 });
  const called = pages.filter(({ label, found }) => ['notfound', 'captcha'].includes(label) && found === 'ok').length;
  goal('404s and challenges called ok', share(called, pages.length), { atMost: 0 });
  goal(`real pages of the extraction sets refused (${real.length})`, share(refused.length - refusedGood, real.length), {
    atMost: 0.015,
  });
  const smelling = real.filter(({ classification }) => classification.signals.includes('soft404?')).length;
  console.log(`  real pages that carry the signal soft404?: ${smelling} of ${real.length}`);
  const misses = [...pages.filter((page) => !isRight(page)), ...real.filter(({ found }) => !isPassed(found))];
  console.log(`\nmisses (${misses.length})`);
  for (const { id, label, found, classification } of misses)
    console.log(`  ${id}: ${label || 'real'}, found ${found} (${classification.errorCode}: ${classification.reason})`);
}

/** Prints the shares by fold: of right pages by label, and of real pages that are not refused. */
function printFolds(pages: readonly EvaluatedCase[], real: readonly EvaluatedCase[]): void {
  const labels = [...new Set(pages.map(({ label }) => label))].sort();
  const isKept = ({ found }: EvaluatedCase): boolean => isPassed(found);
  const rowOf = (name: string, folds: readonly number[]): string[] => [
    name,
    ...[mean(folds), Math.min(...folds), ...folds].map(show),
  ];
  const foldsOf = (of: readonly EvaluatedCase[], passes: (page: EvaluatedCase) => boolean): number[] =>
    FOLDS.flatMap((fold) => {
      const own = of.filter((page) => page.fold === fold);
      return own.length === 0 ? [] : [share(own.filter(passes).length, own.length)];
    });
  const alike = FOLDS.map((fold) =>
    mean(
      labels.flatMap((label) =>
        foldsOf(
          pages.filter((page) => page.fold === fold && page.label === label),
          isRight,
        ),
      ),
    ),
  );
  console.log('\nfive folds by origin: share of right verdicts, labels weighted alike');
  printTable(
    ['pages', 'mean', 'worst', ...FOLDS.map((fold) => `fold ${fold}`)],
    [
      rowOf('all labels', alike),
      ...labels.map((label) =>
        rowOf(
          label,
          foldsOf(
            pages.filter((page) => page.label === label),
            isRight,
          ),
        ),
      ),
      rowOf(
        'good pages not refused',
        foldsOf(
          pages.filter(({ label }) => isPassed(label)),
          isKept,
        ),
      ),
      rowOf('real pages of the extraction sets not refused', foldsOf(real, isKept)),
    ],
  );
}

function printSnippets(): void {
  const snippets = evaluatedSnippets();
  const misses = snippets.filter(({ expected, seen }) => expected !== (seen !== undefined));
  const traps = snippets.filter(({ expected }) => !expected);
  const caught = traps.filter(({ seen }) => seen !== undefined);
  console.log(`\nsnippets of bot walls: ${snippets.length - misses.length} of ${snippets.length} right`);
  console.log(`  of ${traps.length} that are no wall, ${caught.length} taken for one`);
  for (const { id, expected, seen, input } of misses)
    console.log(`  ${id}: ${expected ? 'a wall, not seen' : `no wall, taken for ${seen}`}  ${input}`);
}

/** Good pages that are generated under titles of the words of refusals. */
const GENERATED = 5_000;

/** Prints how many good pages are refused for their titles. */
function printGenerated(): void {
  const refused: string[] = [];
  let words = 0;
  for (let seed = 1; seed <= GENERATED; seed++) {
    const page = generatePage(seed);
    words += page.words;
    const { verdict, errorCode, reason } = verdictOfPage(page.html);
    if (verdict === 'blocked') refused.push(`  page ${seed}, ${page.kind}, "${page.title}": ${errorCode}: ${reason}`);
  }
  console.log(`\ngood pages under generated titles (${GENERATED}, ${Math.round(words / GENERATED)} words on average)`);
  goal('refused', share(refused.length, GENERATED), { atMost: 0 });
  for (const line of refused.slice(0, 20)) console.log(line);
}

/** Prints the tables of cases in the repository: pages that are no content, and pages that resemble them. */
function printCases(): void {
  const codeOf = ({ html, response }: VerdictCase): string => {
    const { verdict, errorCode } = verdictOfPage(html, response);
    return verdict === 'blocked' ? errorCode : 'ok';
  };
  const right = (cases: readonly VerdictCase[]): number =>
    share(cases.filter((page) => page.accept.includes(codeOf(page))).length, cases.length);
  console.log('\ncases of the repository: right verdicts');
  for (const [kind, cases] of BAD_PAGES) goal(`${kind} (${cases.length})`, right(cases), { atLeast: 1 });
  goal(`good pages that resemble them (${GOOD_PAGES.length})`, right(GOOD_PAGES), { atLeast: 1 });
}

printGenerated();
printCases();
if (!hasCorpora()) {
  notMeasured('verdict', `there are no labelled pages at ${CORPORA}`);
} else {
  const pages = evaluatedPages();
  printMatrix(pages);
  const real = evaluatedRealPages();
  printFolds(pages, real);
  printPages(pages, real);
  printSnippets();
}
