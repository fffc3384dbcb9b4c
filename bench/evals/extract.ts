/**
 * Scores Tidemark's content extraction next to other extractors, on the same labelled pages.
 *
 *   npm run eval -- extract [articles wcxb segments multilingual readability defuddle] [--tidemark]
 *
 * A tool that crashes on a page, or exceeds the time limit, scores as an empty result.
 */
import { join } from 'node:path';
import { printLowConfidence } from '../extraction/low-confidence.ts';
import { casesOf, type PageScore, type PageSet, SETS, scorePage, urlOf } from '../extraction/page-sets.ts';
import { type EvalReply, readAll } from '../extraction/reader-pool.ts';
import { printTargets } from '../extraction/targets.ts';
import { TOOLS } from '../extraction/tools.ts';
import { type SetTotals, shareOf, totalsOf } from '../extraction/totals.ts';
import { type Case, CORPORA, hasCorpora, listIn, textIn } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { printTable, show } from '../shared/table.ts';

const PAGE_LIMIT_MS = 10_000;
const TIDEMARK = 'tidemark';

/** Results of all tools on one set. */
interface SetResult {
  readonly set: PageSet;
  readonly tools: ReadonlyMap<string, { scores: PageScore[]; totals: SetTotals; faults: string[] }>;
}

async function measureSet(set: PageSet, tools: readonly string[]): Promise<SetResult> {
  const entries = casesOf(set);
  const tasks = tools.flatMap((tool) =>
    entries.map((entry) => ({ tool, path: join(CORPORA, set.folder, textIn(entry, 'file')), url: urlOf(entry) })),
  );
  const replies = await readAll(tasks, { processes: 2, limitMs: PAGE_LIMIT_MS });
  return {
    set,
    tools: new Map(
      tools.map((tool, at) => [
        tool,
        scoreTool(set, entries, replies.slice(at * entries.length, (at + 1) * entries.length)),
      ]),
    ),
  };
}

function scoreTool(set: PageSet, entries: readonly Case[], replies: readonly EvalReply[]) {
  const scores = entries.map((entry, at) => scorePage(set, entry, replies[at]?.answer));
  const faults = entries.flatMap((entry, at) =>
    replies[at]?.fault ? [`${textIn(entry, 'id')}: ${replies[at].fault}`] : [],
  );
  const unwanted = entries.map((entry) => ({ unwanted: listIn(entry, 'without').length }));
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
      'F1',
      'P',
      'R',
      'p10',
      ...(isStructure ? ['structure'] : ['markdown']),
      ...groups,
      ...(hasSegments ? ['kept', 'leaked'] : []),
      'no result',
    ],
    [...tools].map(([tool, { totals, faults }]) => [
      tool,
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
  printHalves(set, first.scores);
  for (const [tool, { faults }] of tools)
    for (const fault of faults.slice(0, 12)) console.log(`  ${tool} has no result for ${fault}`);
}

/** Prints both halves: a change that improves only one of them is overfitted. */
function printHalves(set: PageSet, scores: readonly PageScore[]): void {
  const halves = [0, 1].map((half) =>
    totalsOf(
      set,
      scores.filter((score) => score.half === half),
      [],
    ),
  );
  const shown = halves.map(
    ({ f1, structure }) => `${show(f1)}${structure === undefined ? '' : ` (structure ${show(structure)})`}`,
  );
  console.log(`  ${TIDEMARK} on two halves, by host: ${shown.join(' and ')}\n`);
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

const words = process.argv.slice(2);
const names = words.filter((word) => !word.startsWith('--'));
const unknown = names.filter((name) => !SETS.some((set) => set.name === name));
if (unknown.length > 0) {
  console.error(`no set ${unknown.join(', ')}; there are ${SETS.map((set) => set.name).join(', ')}`);
  process.exitCode = 2;
} else if (!hasCorpora()) {
  notMeasured('extract', `there are no labelled pages at ${CORPORA}`);
} else {
  const tools = words.includes('--tidemark') ? [TIDEMARK] : Object.keys(TOOLS);
  const results: SetResult[] = [];
  for (const set of SETS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const result = await measureSet(set, tools);
    printSet(result);
    printFields(result);
    results.push(result);
  }
  printLowConfidence(results.flatMap(({ tools: read }) => read.get(TIDEMARK)?.scores ?? []));
  console.log('markdown: how far the F1 of its prose is from that of the text\n\ntargets');
  printTargets(tidemarkFigures(results));
}
