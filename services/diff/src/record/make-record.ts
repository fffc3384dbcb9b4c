import { RECORD_RULES } from '../version.ts';
import { Volatility } from '../volatile/volatility.ts';
import { atMost } from './at-most.ts';
import { Departures, tellMove } from './departures.ts';
import type { EntryPlace } from './entry.ts';
import { examinePage, type Hearing } from './examine-page.ts';
import { EditCensus, NO_FOLDING } from './fold-template.ts';
import { mapInOrder, mergePages } from './merge-pages.ts';
import { folderOf } from './page-key.ts';
import type { PageReading } from './page-reading.ts';
import type { RecordPorts } from './ports.ts';
import type { RecordCounts } from './record-counts.ts';
import { RecordWriter } from './record-writer.ts';
import { type Baseline, type Coverage, coverageOf, mayProbe, type RecordedRun } from './run-coverage.ts';
import { sortLooks } from './second-looks.ts';
import { type Survey, surveyRun, withSecondLooks } from './survey-run.ts';
import { PageTeller } from './tell-page.ts';

/** What a record is asked of. */
export interface RecordRequest {
  readonly run: RecordedRun;
  /** The last full run before it; absent: there is none, and nothing can be said. */
  readonly baseline?: Baseline;
  /** Selectors that broke, and the fields that depend on them. */
  readonly selectorBreaks: number;
  readonly brokenFields: ReadonlySet<string>;
  readonly templateChanges: 'fold' | 'each';
}

/** A record without its entries. */
export interface RecordHead {
  readonly projectId: string;
  readonly runId: string;
  readonly rules: number;
  readonly baseline: string | null;
  readonly counts: RecordCounts;
  readonly coverage: Coverage;
  /** Pages that moved: they are among the modified ones. */
  readonly moved: number;
  readonly entries: number;
}

/** Pages judged at once: most need nothing but their hashes, and wait for none that is opened. */
const AT_ONCE = 512;
/** Pages opened and compared at once: what they hold is held until they are compared. */
const OPENED_AT_ONCE = 32;

/**
 * Makes the record of a run. Goes twice through the rows, in the order of their keys and a few at a time, and opens only pages that
 * differ; whatever is asked of it again comes out the same, to the byte.
 */
export const makeRecord =
  (ports: RecordPorts) =>
  async (request: RecordRequest): Promise<RecordHead> => {
    const hearing = await prepare(ports, request);
    const { run, baseline } = request;
    const place: EntryPlace = { projectId: run.projectId, runId: run.id, firstSeenAt: run.finishedAt };
    const writer = new RecordWriter(ports.sink, place, {
      // A first run has nothing to be compared with: its pages are counted, and none of them is news.
      isFirst: baseline === undefined,
      // What listed pages look like between two full runs is no part of the site's history.
      isHistory: !run.isRecrawl,
    });
    try {
      return await writeRecord(hearing, request, writer);
    } finally {
      await writer.settle();
    }
  };

async function writeRecord(hearing: Hearing, request: RecordRequest, writer: RecordWriter): Promise<RecordHead> {
  const { ports } = hearing;
  const { run, baseline } = request;
  const learning = new Volatility(await ports.learned());
  const census = await judgeAll(hearing, writer, learning);
  const moved = await settleDepartures(hearing, writer, census.departures);
  if (!run.isRecrawl) {
    const folders = hearing.survey.pagesPerFolder;
    await ports.sink.learned(learning.settle(run.id, (folder) => folders.has(folder)));
  }
  const folding =
    request.templateChanges === 'fold'
      ? census.edits.folding(hearing.survey.pagesPerFolder, census.compared)
      : NO_FOLDING;
  const isVolatile = learning.isVolatile.bind(learning);
  const teller = new PageTeller(folding, isVolatile, run.id);
  for await (const page of ports.spool.all()) await writer.news(teller.tell(page, baseline?.runId ?? ''));
  for (const statement of teller.statements()) await writer.entry(statement);
  const { counts, entries } = await writer.end(request.selectorBreaks);
  return {
    projectId: run.projectId,
    runId: run.id,
    rules: RECORD_RULES,
    baseline: baseline?.runId ?? null,
    counts,
    coverage: hearing.coverage,
    moved,
    entries,
  };
}

/** Everything that has to be known before the first page is judged. */
async function prepare(ports: RecordPorts, request: RecordRequest): Promise<Hearing> {
  const { run, baseline, brokenFields } = request;
  const survey = await surveyRun(mergePages(ports.known(), ports.current()), ports.scope, run);
  const seen = await lookAgain(ports, request, survey);
  const { looks, redirects } = sortLooks(survey, seen);
  const coverage = coverageOf(run, baseline, { ...withSecondLooks(survey, looks), probed: seen.size });
  return {
    ports,
    survey: { ...survey, redirects },
    looks,
    coverage,
    baseline,
    isRecrawl: run.isRecrawl,
    brokenFields,
    few: atMost(OPENED_AT_ONCE),
  };
}

async function lookAgain(
  ports: RecordPorts,
  { run, baseline }: RecordRequest,
  survey: Survey,
): Promise<ReadonlyMap<string, PageReading>> {
  const isWorthwhile = survey.toProbe.length > 0 && mayProbe(coverageOf(run, baseline, survey.seen));
  return isWorthwhile ? ports.probe(survey.toProbe) : new Map<string, PageReading>();
}

interface Census {
  readonly edits: EditCensus;
  readonly departures: Departures;
  readonly compared: number;
}

/** Goes through all pages: what can be told at once is, what hangs on others is kept for later. */
async function judgeAll(hearing: Hearing, writer: RecordWriter, learning: Volatility): Promise<Census> {
  const { ports } = hearing;
  const [edits, departures] = [new EditCensus(), new Departures()];
  let compared = 0;
  const pairs = mergePages(ports.known(), ports.current());
  for await (const finding of mapInOrder(pairs, AT_ONCE, (pair) => examinePage(hearing, pair))) {
    if (finding === undefined) continue;
    await writer.known(finding.next);
    if (isMovable(finding.judgement.outcome, finding.servedAs) && departures.hold(finding)) continue;
    if (finding.comparison !== undefined) compared += 1;
    if (finding.comparison?.result !== 'differs') {
      await writer.finding(finding);
      continue;
    }
    const { pageKey, known, reading, links, verdicts, comparison } = finding;
    const template = learning.templates.idOf(folderOf(pageKey), comparison.anchors);
    const { delta, changedShare, isContentEdited } = comparison;
    learning.observe(template, delta);
    const page = {
      pageKey,
      url: reading?.url ?? known?.url ?? pageKey,
      delta,
      changedShare,
      isContentEdited,
      template,
      baselineRunId: known?.good?.runId ?? '',
      verdicts,
      ...(links === undefined ? {} : { links }),
    };
    edits.see(page);
    await ports.spool.put(page);
  }
  return { edits, departures, compared };
}

const isMovable = (outcome: string, servedAs: PageReading | undefined): boolean =>
  outcome === 'removed' || outcome === 'added' || servedAs !== undefined;

async function settleDepartures(hearing: Hearing, writer: RecordWriter, departures: Departures): Promise<number> {
  const { moved, still, told } = await departures.resolve(hearing);
  for (const move of moved) {
    await writer.moved(await tellMove(hearing, move));
    await writer.alias(move.from.pageKey, move.to.pageKey, move.reason);
  }
  for (const finding of [...still, ...told]) await writer.finding(finding);
  return moved.length;
}
