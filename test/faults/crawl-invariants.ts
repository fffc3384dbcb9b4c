import type { PageRow } from '@tidemark/api';
import { Redis } from 'ioredis';
import type { OwnFleet } from '../harness/fleet.ts';
import { until } from '../harness/until.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { everyRow } from './crawls.ts';
import { type CreditState, creditProblems, creditStateOf, pendingCredits, untilReached } from './invariants.ts';

interface RunRow {
  readonly no: string;
  readonly status: string;
  readonly stop: string | null;
  readonly cleaned_up: boolean;
  readonly done: number;
  readonly queued: number;
  readonly inFlight: number;
  readonly credits: number;
  readonly lastNumber: number;
  readonly lost: number;
}

interface FrontierRow {
  readonly url: string;
  readonly captureId: string | null;
  readonly status: string;
  readonly number: number | null;
  readonly credits: number | null;
}

interface State {
  readonly run: RunRow;
  readonly frontier: readonly FrontierRow[];
  readonly pages: readonly string[];
  readonly credit: CreditState;
}

/** Rows of all services for one crawl, which is the only one of its workspace. */
async function stateOf(fleet: OwnFleet, workspace: Workspace, runId: string): Promise<State> {
  const { sql } = fleet;
  const [runs, frontier, pages, credit] = await Promise.all([
    sql<RunRow>(
      `SELECT no::text, status, stop, cleaned_up, done, queued, in_flight AS "inFlight", credits, last_number AS "lastNumber",
         coalesce((verdicts->>'lost')::int, 0) AS lost FROM crawl.runs WHERE id = $1`,
      [runId],
    ),
    sql<FrontierRow>(
      `SELECT f.url, f.capture_id AS "captureId", f.status, f.number, f.credits
       FROM crawl.frontier f JOIN crawl.runs r ON r.no = f.run_no WHERE r.id = $1 ORDER BY f.number`,
      [runId],
    ),
    sql<{ id: string }>('SELECT id FROM archive.pages WHERE workspace_id = $1 AND job_id = $2', [workspace.id, runId]),
    creditStateOf(fleet, workspace),
  ]);
  const [run] = runs;
  if (run === undefined) throw new Error(`${runId} was accepted and is lost`);
  return { run, frontier, pages: pages.map(({ id }) => id), credit };
}

/** Returns the work that is not finished; empty if none. */
function underWay({ run, frontier, credit }: State): string[] {
  const waiting = frontier.filter(({ status }) => status === 'queued' || status === 'dispatched');
  return [
    ...(run.cleaned_up
      ? []
      : [`the run is ${run.status}: ${run.done} done, ${run.queued} queued, ${run.inFlight} in flight`]),
    ...waiting.slice(0, 5).map(({ url, status }) => `${url} is ${status}`),
    ...pendingCredits(credit),
  ];
}

/** Returns the violated invariants; empty if none. */
const broken = (state: State): string[] => [
  ...creditProblems(state.credit),
  ...brokenCounts(state),
  ...brokenCharges(state),
];

/** Returns the differences between the counters of the run and its pages. */
function brokenCounts({ run, frontier, pages }: State): string[] {
  const problems: string[] = [];
  const ended = frontier.filter(({ number }) => number !== null);
  ended.forEach(({ number, url }, at) => {
    if (number !== at + 1) problems.push(`${url} has number ${number} at place ${at + 1}`);
  });
  if (run.done !== ended.length || run.lastNumber !== ended.length)
    problems.push(`the run counts ${run.done} pages up to number ${run.lastNumber} and has ${ended.length}`);
  if (run.queued !== 0 || run.inFlight !== 0)
    problems.push(`the run counts ${run.queued} queued and ${run.inFlight} in flight after its end`);
  if (run.lost > 0) problems.push(`${run.lost} pages were lost by a fault of ours`);
  // A page that redirects to another page's URL is stored and free.
  const known = new Set(frontier.map(({ captureId }) => captureId));
  for (const id of pages) if (!known.has(id)) problems.push(`page ${id} is of no URL of its run`);
  return problems;
}

/** Returns the pages that are not stored, or not charged once what they cost. */
function brokenCharges({ run, frontier, pages, credit }: State): string[] {
  const problems: string[] = [];
  const ended = frontier.filter(({ number }) => number !== null);
  const stored = new Set(pages);
  const charged = Map.groupBy(
    credit.ledger.filter(({ kind }) => kind === 'page'),
    ({ ref }) => ref,
  );
  for (const { url, captureId, credits } of ended) {
    if (!stored.has(captureId ?? '')) problems.push(`${url} has ended and is not stored`);
    const entries = charged.get(captureId ?? '') ?? [];
    if (entries.length !== 1) problems.push(`${url} has ${entries.length} ledger entries`);
    const cost = -entries.reduce((sum, entry) => sum + entry.credits, 0);
    if (cost !== credits) problems.push(`${url} cost ${credits} and was charged ${cost}`);
  }
  const counted = new Set(ended.map(({ captureId }) => captureId));
  for (const [ref, entries] of charged)
    if (!counted.has(ref) && entries.some(({ credits }) => credits !== 0))
      problems.push(`${ref} was charged and is no page of the run`);
  const cost = ended.reduce((sum, { credits }) => sum + (credits ?? 0), 0);
  if (cost !== run.credits) problems.push(`the pages cost ${cost}, the run has ${run.credits}`);
  return problems;
}

/** Returns the differences between the rows and the run's list. */
function falseRows(rows: readonly PageRow[], { run, frontier }: State): string[] {
  const problems: string[] = [];
  const urls = new Set(rows.map(({ url }) => url));
  if (rows.length !== run.done || urls.size !== rows.length)
    problems.push(`the list shows ${rows.length} rows of ${urls.size} URLs, the run has ${run.done}`);
  const numbered = frontier.filter(({ number }) => number !== null);
  const listed = new Set(rows.map(({ id }) => id));
  const gaps = numbered.filter(({ captureId }) => captureId === null || !listed.has(captureId));
  if (gaps.length > 0)
    problems.push(`the list has no page with the numbers ${gaps.slice(0, 10).map(({ number }) => number)}`);
  const order = numbered.map(({ captureId }) => captureId);
  const astray = rows.findIndex(({ id }, at) => id !== order[at]);
  if (astray !== -1) problems.push(`row ${astray + 1} of the list is not the page with that number`);
  const cost = rows.reduce((sum, { credits }) => sum + credits, 0);
  if (cost !== run.credits) problems.push(`the rows cost ${cost}, the run has ${run.credits}`);
  const bare = rows.filter(({ verdict, markdown }) => verdict === 'ok' && !markdown);
  if (bare.length > 0) problems.push(`${bare.length} rows have lost their text, first ${bare[0]?.url}`);
  return problems;
}

/** Host slots that were not released. */
async function turnsTaken(redisUrl: string): Promise<string[]> {
  const redis = new Redis(redisUrl);
  try {
    const taken: string[] = [];
    for (const key of await redis.keys('pace:*:busy')) {
      const count = await redis.zcount(key, Date.now(), '+inf');
      if (count > 0) taken.push(`${count} turns of ${key} are taken`);
    }
    return taken;
  } finally {
    redis.disconnect();
  }
}

/**
 * What holds for a crawl after every fault: it ended as it should, each address is a page once, the pages are numbered without a
 * gap, stored, can be read with their text, and are charged once what they cost; nothing waits, is set aside, leased or in flight.
 * @returns its rows, in order
 */
export async function expectCrawlWell(
  fleet: OwnFleet,
  workspace: Workspace,
  {
    id,
    status = 'done',
    stop = 'finished',
    withinMs = 60_000,
  }: { readonly id: string; readonly status?: string; readonly stop?: string; readonly withinMs?: number },
): Promise<PageRow[]> {
  await untilReached(fleet);
  await until(
    'the end of all work of the crawl',
    async () => {
      const now = await stateOf(fleet, workspace, id);
      const left = [...underWay(now), ...(await turnsTaken(fleet.stack.urls.redisUrl))];
      if (left.length > 0) throw new Error(left.join(', '));
      return true;
    },
    { withinMs },
  );
  // Read again: a row that changed while the tables were being read is in some of them only.
  const state = await stateOf(fleet, workspace, id);
  const rows = await everyRow(workspace.reader, id, 'limit=100&formats=markdown');
  const problems = [...broken(state), ...falseRows(rows, state)];
  if (state.run.status !== status || state.run.stop !== stop)
    problems.unshift(`the run is ${state.run.status} (${state.run.stop}), not ${status} (${stop})`);
  if (problems.length > 0) throw new Error(problems.slice(0, 30).join('\n'));
  return rows;
}
