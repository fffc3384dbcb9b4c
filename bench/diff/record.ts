import { events, newId } from '@tidemark/contracts';
import { outgoingEvent } from '@tidemark/service';
import { memoryOf } from '../../services/browser-pool/src/chromium/process-tree.ts';
import { until } from '../../test/harness/until.ts';
import { cpuWithEndedMs } from '../archive/cpu-with-ended.ts';
import type { BenchRun } from '../archive/rows.ts';
import { loadNow } from '../crawl/cost.ts';
import { cpuOfTreeMs } from '../shared/cpu.ts';
import { RecordedCalls } from './peers.ts';
import type { DiffServers } from './servers.ts';
import { changedIn, type MadeSite } from './site.ts';
import { atRest, listToTheEnd, storeRun } from './store-run.ts';

const MADE_WITHIN_MS = 600_000;
const POLL_EVERY_MS = 100;
const SETTLED_MS = 2_000;
const MB = 1024 * 1024;
/** The run that the archive has stored before its end is published. */
const RESTED = 3;

/** Cost of building one record. */
export interface MadeRecord {
  readonly counts: Readonly<Record<string, number>>;
  readonly entries: number;
  /** Seconds from the publication of the run's end to the finished record, in total and by stage. */
  readonly seconds: number;
  readonly stages: Readonly<Record<'waiting' | 'gathering' | 'comparing' | 'writing', number>>;
  readonly attempts: number;
  readonly bodies: number;
  readonly cpuSeconds: Readonly<Record<'diff' | 'archive' | 'postgres', number>>;
  /** Load average of the machine meanwhile. */
  readonly load: string;
  /** Peak memory of diff meanwhile, MB. */
  readonly peakMb: number;
}

/** The first runs of one project, and the memory of diff before them. */
export interface BenchRuns {
  readonly pages: number;
  /** Pages that changed with each run after the first. */
  readonly changed: number;
  readonly idleMb: number;
  /** The first run, which has no baseline. */
  readonly first: MadeRecord;
  /** As in production: the archive stores the run while its record is built. */
  readonly second: MadeRecord;
  /** The archive has finished its background work on the run before its end is published. */
  readonly rested: MadeRecord;
}

/** Stores three runs in sequence, and has each record built by a fresh diff process. */
export async function runThrice(servers: DiffServers, site: MadeSite, pages: number): Promise<BenchRuns> {
  await servers.restartDiff();
  await new Promise((done) => setTimeout(done, SETTLED_MS));
  const idleMb = memoryOf(servers.diffPid()) / MB;
  const project = { workspaceId: newId('ws'), projectId: newId('prj'), site: 1 };
  const next = async (generation: number): Promise<MadeRecord> => {
    const run: BenchRun = { ...project, runId: newId('run') };
    const startedAtMs = performance.now();
    await storeRun(servers, site, { run, pages, generation });
    if (generation === RESTED) await listToTheEnd(servers, run);
    const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
    console.log(`  … run ${generation}: ${pages} pages stored in ${seconds} s`);
    const made = await makeRecord(servers, run, pages);
    await atRest(servers);
    return made;
  };
  const [first, second, rested] = [await next(1), await next(2), await next(RESTED)];
  return { pages, changed: changedIn(pages, 2), idleMb, first, second, rested };
}

async function makeRecord(servers: DiffServers, run: BenchRun, pages: number): Promise<MadeRecord> {
  const calls = new RecordedCalls();
  servers.peers.calls = calls;
  const cpu = () => ({
    diff: cpuOfTreeMs(servers.diffPid()),
    archive: cpuOfTreeMs(servers.archivePid()),
    postgres: cpuWithEndedMs(servers.postgresPid),
  });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryOf(servers.diffPid()));
  }, POLL_EVERY_MS);
  const [before, publishedAtMs] = [cpu(), performance.now()];
  try {
    await publishFinished(servers, run, pages);
    const row = await recordOf(servers, run);
    const madeAtMs = performance.now();
    const after = cpu();
    const comparedAtMs = Math.max(calls.bodiesAtMs, calls.rowsAtMs);
    return {
      counts: JSON.parse(row.counts),
      entries: row.entries,
      seconds: (madeAtMs - publishedAtMs) / 1_000,
      stages: {
        waiting: (calls.begunAtMs - publishedAtMs) / 1_000,
        gathering: (calls.rowsAtMs - calls.begunAtMs) / 1_000,
        comparing: (comparedAtMs - calls.rowsAtMs) / 1_000,
        writing: (madeAtMs - comparedAtMs) / 1_000,
      },
      attempts: calls.attempts,
      bodies: calls.opened.size,
      cpuSeconds: {
        diff: (after.diff - before.diff) / 1_000,
        archive: (after.archive - before.archive) / 1_000,
        postgres: (after.postgres - before.postgres) / 1_000,
      },
      load: loadNow(),
      peakMb: peak / MB,
    };
  } finally {
    clearInterval(watch);
  }
}

async function publishFinished({ bus }: DiffServers, run: BenchRun, pages: number): Promise<void> {
  const { runId, workspaceId, projectId } = run;
  const event = {
    runId,
    workspaceId,
    projectId,
    trigger: 'api' as const,
    status: 'done' as const,
    stop: 'finished' as const,

    finishedAt: new Date(),
    pages,
    counts: {},
    creditsUsed: pages,
    hasCoverage: true,
  };
  await bus.publish(events.runFinished.subject, [outgoingEvent(events.runFinished, `finished:${runId}`, event)]);
}

interface RecordRow {
  readonly status: string;
  readonly error: string;
  readonly counts: string;
  readonly entries: number;
}

const recordOf = ({ pool }: DiffServers, { runId }: BenchRun): Promise<RecordRow> =>
  until(
    `the record of ${runId}`,
    async () => {
      const { rows } = await pool.query<RecordRow>(
        'SELECT status, error, counts, entries FROM diff.records WHERE run_id = $1',
        [runId],
      );
      const [row] = rows;
      return row === undefined || row.status === 'pending' ? undefined : row;
    },
    { withinMs: MADE_WITHIN_MS },
  );
