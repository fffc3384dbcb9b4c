/**
 * Measures each rule of the main content by leaving it out: the change of the mean over five folds by domain, per set of labelled pages.
 * A rule whose absence changes nothing or helps has no place in the list.
 *
 *   npm run eval -- content-rules [articles wcxb segments multilingual]
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { decodeBody, readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { RULES_AFTER_CHOICE, RULES_BEFORE_CHOICE, RULES_BEFORE_HEADLINE } from '@tidemark/page-reader/stages';
import { WITHOUT_TITLE } from '../content/timed-reading.ts';
import { foldFigure } from '../extraction/folds.ts';
import { casesOf, type PageCase, type PageSet, pathOf, SETS, scorePage, urlOf } from '../extraction/page-sets.ts';
import { CORPORA, hasCorpora } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { printTable } from '../shared/table.ts';

const DEFAULT_SETS = ['articles', 'wcxb', 'segments', 'multilingual'];

interface LoadedPage {
  readonly page: PageCase;
  readonly html: string;
}

function load(page: PageCase): LoadedPage {
  const path = pathOf(page);
  const bytes = readFileSync(path);
  return { page, html: decodeBody(path.endsWith('.gz') ? gunzipSync(bytes) : bytes, undefined).html };
}

/** Returns the mean over the folds of a set, read without a rule. */
function meanWithout(rule: string | undefined, set: PageSet, pages: readonly LoadedPage[]): number {
  const scores = pages.map(({ page, html }) => {
    const { text = '' } = readPage({
      html,
      url: urlOf(page),
      content: { ...USUAL_CONTENT, omitTitleHeading: WITHOUT_TITLE.has(page.folder) },
      outputs: new Set(['text']),
      ...(rule === undefined ? {} : { withoutRule: rule }),
    });
    return scorePage(set, page, { text, markdown: '' });
  });
  return foldFigure(set, scores).mean;
}

const named = process.argv.slice(2);
const names = named.length > 0 ? named : DEFAULT_SETS;

if (!hasCorpora()) {
  notMeasured('content-rules', `there are no labelled pages at ${CORPORA}`);
} else {
  const sets = SETS.filter(({ name }) => names.includes(name)).map((set) => ({ set, pages: casesOf(set).map(load) }));
  const full = sets.map(({ set, pages }) => meanWithout(undefined, set, pages));
  const effect = (rule: string): string[] =>
    sets.map(({ set, pages }, at) => {
      const change = (full[at] ?? 0) - meanWithout(rule, set, pages);
      return `${change < 0 ? '' : '+'}${change.toFixed(4)}`;
    });
  const rules = [...RULES_BEFORE_HEADLINE, ...RULES_BEFORE_CHOICE, ...RULES_AFTER_CHOICE];
  console.log('what each rule adds to the mean of the folds');
  printTable(
    ['rule drops', ...sets.map(({ set }) => set.name)],
    [['(all rules)', ...full.map((mean) => mean.toFixed(4))], ...rules.map(({ drops }) => [drops, ...effect(drops)])],
  );
}
