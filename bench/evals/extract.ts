/**
 * Scores Tidemark's content extraction next to other extractors, on the same labelled pages.
 *
 *   npm run eval -- extract [articles wcxb segments multilingual readability defuddle] [--tidemark]
 *                           [--save FILE] [--against FILE]
 *
 * The mean over five folds by domain, with types weighted alike, is the figure that predicts unseen pages. Tidemark reads
 * each page twice: at its own URL, and at a URL of this machine, which says nothing about the page.
 * A tool that crashes on a page, or exceeds the time limit, scores as an empty result. Results of other tools are
 * kept on disk by page and version. `--save` stores our figures, `--against` compares them with stored ones.
 */
import { parseArgs } from 'node:util';
import { WITHOUT_TITLE } from '../content/timed-reading.ts';
import { compareWith, type SavedRun, saveRun } from '../extraction/compare-runs.ts';
import { FOLDS, foldFigure, foldFigures } from '../extraction/folds.ts';
import { printLowConfidence } from '../extraction/low-confidence.ts';
import {
  casesOf,
  type PageCase,
  type PageScore,
  type PageSet,
  pathOf,
  SETS,
  scorePage,
  urlOf,
} from '../extraction/page-sets.ts';
import type { EvalReply } from '../extraction/reader-pool.ts';
import { readAllCached } from '../extraction/result-cache.ts';
import { printTargets } from '../extraction/targets.ts';
import { TOOLS } from '../extraction/tools.ts';
import { type SetTotals, shareOf, totalsOf } from '../extraction/totals.ts';
import { CORPORA, hasCorpora, listIn, textIn } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { printTable, show } from '../shared/table.ts';

const PAGE_LIMIT_MS = 10_000;
const TIDEMARK = 'tidemark';
/** Tidemark, with the pages served from this machine. */
const LOOPBACK = 'tidemark, loopback';

/** Results of all tools on one set. */
interface SetResult {
  readonly set: PageSet;
  readonly tools: ReadonlyMap<string, { scores: PageScore[]; totals: SetTotals; faults: string[] }>;
}

async function measureSet(set: PageSet, tools: readonly string[]): Promise<SetResult> {
  const cases = casesOf(set);
  const tasks = tools.flatMap((tool) =>
    cases.map((page) => ({
      tool: tool === LOOPBACK ? TIDEMARK : tool,
      path: pathOf(page),
      url: urlOf(page, tool === LOOPBACK),
      omitTitleHeading: WITHOUT_TITLE.has(page.folder),
    })),
  );
  const replies = await readAllCached(tasks, { processes: 2, limitMs: PAGE_LIMIT_MS });
  return {
    set,
    tools: new Map(
      tools.map((tool, at) => [tool, scoreTool(set, cases, replies.slice(at * cases.length, (at + 1) * cases.length))]),
    ),
  };
}

function scoreTool(set: PageSet, cases: readonly PageCase[], replies: readonly EvalReply[]) {
  const scores = cases.map((page, at) => scorePage(set, page, replies[at]?.response));
  const faults = cases.flatMap(({ entry }, at) =>
    replies[at]?.fault ? [`${textIn(entry, 'id')}: ${replies[at].fault}`] : [],
  );
  const unwanted = cases.map(({ entry }) => ({ unwanted: listIn(entry, 'without').length }));
  return { scores, faults, totals: totalsOf(set, scores, unwanted) };
}

function printSet({ set, tools }: SetResult): void {
  const [first] = tools.values();
  if (!first) return;
  const groups = [...first.totals.groups.keys()];
  const isStructure = first.totals.structure !== undefined;
  const hasSegments = first.totals.kept !== undefined && set.total !== 'sums';
  console.log(`${set.name}: ${first.scores.length} pages`);
  printTable(
    [
      'tool',
      'mean of folds',
      'worst fold',
      'F1',
      'P',
      'R',
      'p10',
      ...(isStructure ? ['structure'] : ['markdown']),
      ...groups,
      ...(hasSegments ? ['kept', 'leaked'] : []),
      'no result',
    ],
    [...tools].map(([tool, { totals, scores, faults }]) => [
      tool,
      ...shownFolds(set, scores),
      show(totals.f1),
      show(totals.precision),
      show(totals.recall),
      show(totals.p10),
      isStructure ? show(totals.structure) : `${totals.markdown < 0 ? '' : '+'}${show(totals.markdown)}`,
      ...groups.map((group) => show(totals.groups.get(group))),
      ...(hasSegments ? [show(totals.kept), show(totals.leaked)] : []),
      String(faults.length),
    ]),
  );
  printFolds(set, tools);
  for (const [tool, { faults }] of tools)
    for (const fault of faults.slice(0, 12)) console.log(`  ${tool} has no result for ${fault}`);
}

function shownFolds(set: PageSet, scores: readonly PageScore[]): [string, string] {
  const { mean, worst } = foldFigure(set, scores);
  return [show(mean), show(worst)];
}

/** Prints our figures by fold: a change that improves only one of them is overfitted. */
function printFolds(set: PageSet, tools: SetResult['tools']): void {
  for (const tool of [TIDEMARK, LOOPBACK]) {
    const scores = tools.get(tool)?.scores;
    if (!scores) continue;
    console.log(`${tool}, five folds by domain`);
    printTable(
      ['pages', 'mean', 'worst', ...FOLDS.map((fold) => `fold ${fold}`)],
      [...foldFigures(set, scores)].map(([name, figure]) => [
        name,
        ...[figure.mean, figure.worst, ...figure.folds].map(show),
      ]),
    );
  }
}

/** Our figures and page scores, at the pages' own URLs and from this machine. */
function savedRunOf(results: readonly SetResult[]): SavedRun {
  const run: SavedRun = { figures: {}, pages: {} };
  for (const { set, tools } of results) {
    addScores(run, set, { place: '', scores: tools.get(TIDEMARK)?.scores ?? [] });
    addScores(run, set, { place: ', loopback', scores: tools.get(LOOPBACK)?.scores ?? [] });
  }
  return run;
}

function addScores(
  run: SavedRun,
  set: SetResult['set'],
  { place, scores }: { readonly place: string; readonly scores: readonly PageScore[] },
): void {
  if (scores.length === 0) return;
  for (const [name, figure] of foldFigures(set, scores)) run.figures[name + place] = figure;
  for (const { id, isFirst, f1, precision, recall, group } of scores)
    run.pages[`${set.name}${isFirst ? '' : '-more'}/${id}${place}`] = { f1, precision, recall, type: group };
}

function printFields({ set, tools }: SetResult): void {
  if (set.name !== 'wcxb') return;
  console.log('fields: right where the page has them');
  printTable(
    ['tool', 'title exact', 'date', 'author'],
    [...tools].flatMap(([tool, { scores }]) =>
      tool === 'body text' || tool === 'mdream'
        ? []
        : [[tool, show(shareOf(scores, 'title')), show(shareOf(scores, 'date')), show(shareOf(scores, 'author'))]],
    ),
  );
}

/** Returns our figures by target name. */
function tidemarkFigures(results: readonly SetResult[]): Map<string, number> {
  const figures = new Map<string, number>();
  for (const { set, tools } of results) {
    const tidemark = tools.get(TIDEMARK);
    if (!tidemark) continue;
    const { totals, scores } = tidemark;
    figures.set(set.total === 'structure' ? `${set.name} text` : set.name, totals.f1);
    if (totals.structure !== undefined) figures.set(`${set.name} structure`, totals.structure);
    figures.set(`${set.name} p10`, totals.p10);
    if (totals.kept !== undefined) figures.set(`${set.name} kept`, totals.kept);
    if (totals.leaked !== undefined) figures.set(`${set.name} leaked`, totals.leaked);
    for (const [group, value] of totals.groups) figures.set(`${set.name} ${group}`, value);
    if (set.name !== 'wcxb') continue;
    figures.set('title exact', shareOf(scores, 'title'));
    figures.set('date', shareOf(scores, 'date'));
    figures.set('author', shareOf(scores, 'author'));
  }
  return figures;
}

const { positionals: names, values } = parseArgs({
  allowPositionals: true,
  options: { tidemark: { type: 'boolean' }, save: { type: 'string' }, against: { type: 'string' } },
});
const unknown = names.filter((name) => !SETS.some((set) => set.name === name));
if (unknown.length > 0) {
  console.error(`no set ${unknown.join(', ')}; there are ${SETS.map((set) => set.name).join(', ')}`);
  process.exitCode = 2;
} else if (!hasCorpora()) {
  notMeasured('extract', `there are no labelled pages at ${CORPORA}`);
} else {
  const others = values.tidemark ? [] : Object.keys(TOOLS).filter((tool) => tool !== TIDEMARK);
  const results: SetResult[] = [];
  for (const set of SETS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const result = await measureSet(set, [TIDEMARK, LOOPBACK, ...others]);
    printSet(result);
    printFields(result);
    results.push(result);
  }
  printLowConfidence(results.flatMap(({ tools: read }) => read.get(TIDEMARK)?.scores ?? []));
  console.log('markdown: how far the F1 of its prose is from that of the text\n\ntargets');
  printTargets(tidemarkFigures(results));
  const run = savedRunOf(results);
  if (values.save !== undefined) saveRun(values.save, run);
  if (values.against !== undefined) compareWith(values.against, run);
}
