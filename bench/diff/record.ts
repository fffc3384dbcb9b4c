import { facts, newId } from '@tidemark/contracts';
import { outgoing } from '@tidemark/service';
import { memoryOf } from '../../services/browser-pool/src/chromium/process-tree.ts';
import { until } from '../../test/harness/until.ts';
import { cpuWithEndedMs } from '../archive/cpu-with-ended.ts';
import type { BenchRun } from '../archive/rows.ts';
import { loadNow } from '../crawl/cost.ts';
import { cpuOfTreeMs } from '../shared/cpu.ts';
import { Heard } from './peers.ts';
import type { DiffGround } from './servers.ts';
import { changedIn, type MadeSite } from './site.ts';
import { atRest, listToTheEnd, storeRun } from './store-run.ts';

const MADE_WITHIN_MS = 600_000;
const LOOK_EVERY_MS = 100;
const SETTLED_MS = 2_000;
const MB = 1024 * 1024;
/** The run that the archive has taken in before its end is told. */
const RESTED = 3;

/** What making one record took. */
export interface MadeRecord {
  readonly counts: Readonly<Record<string, number>>;
  readonly entries: number;
  /** From the end of the run being told to the record being made, in all and by what was done. */
  readonly seconds: number;
  readonly stages: Readonly<Record<'waiting' | 'gathering' | 'comparing' | 'writing', number>>;
  readonly attempts: number;
  readonly bodies: number;
  readonly cpuSeconds: Readonly<Record<'diff' | 'archive' | 'postgres', number>>;
  /** Of the machine, as it was made. */
  readonly load: string;
  /** The most diff took meanwhile. */
  readonly peakMb: number;
}

/** The first runs of one project, and the memory of diff before them. */
export interface BenchRuns {
  readonly pages: number;
  /** Pages that changed with each run after the first. */
  readonly changed: number;
  readonly idleMb: number;
  /** Nothing to compare with. */
  readonly first: MadeRecord;
  /** As it is in service: the archive takes the run in while its record is made. */
  readonly second: MadeRecord;
  /** The archive has done all it does of itself with a run before its end is told. */
  readonly rested: MadeRecord;
}

/** Stores three runs, one after the other, and has the record of each made by a diff that had made none before. */
export async function runThrice(ground: DiffGround, site: MadeSite, pages: number): Promise<BenchRuns> {
  await ground.startAnew();
  await new Promise((done) => setTimeout(done, SETTLED_MS));
  const idleMb = memoryOf(ground.diffPid()) / MB;
  const project = { workspaceId: newId('ws'), projectId: newId('prj'), site: 1 };
  const next = async (generation: number): Promise<MadeRecord> => {
    const run: BenchRun = { ...project, runId: newId('run') };
    const startedAtMs = performance.now();
    await storeRun(ground, site, { run, pages, generation });
    if (generation === RESTED) await listToTheEnd(ground, run);
    const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
    console.log(`  … run ${generation}: ${pages} pages stored in ${seconds} s`);
    const made = await makeRecord(ground, run, pages);
    await atRest(ground);
    return made;
  };
  const [first, second, rested] = [await next(1), await next(2), await next(RESTED)];
  return { pages, changed: changedIn(pages, 2), idleMb, first, second, rested };
}

async function makeRecord(ground: DiffGround, run: BenchRun, pages: number): Promise<MadeRecord> {
  const heard = new Heard();
  ground.peers.heard = heard;
  const cpu = () => ({
    diff: cpuOfTreeMs(ground.diffPid()),
    archive: cpuOfTreeMs(ground.archivePid()),
    postgres: cpuWithEndedMs(ground.postgresPid),
  });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, memoryOf(ground.diffPid()));
  }, LOOK_EVERY_MS);
  const [before, toldAtMs] = [cpu(), performance.now()];
  try {
    await tellFinished(ground, run, pages);
    const row = await recordOf(ground, run);
    const madeAtMs = performance.now();
    const after = cpu();
    const comparedAtMs = Math.max(heard.bodiesAtMs, heard.rowsAtMs);
    return {
      counts: JSON.parse(row.counts),
      entries: row.entries,
      seconds: (madeAtMs - toldAtMs) / 1_000,
      stages: {
        waiting: (heard.begunAtMs - toldAtMs) / 1_000,
        gathering: (heard.rowsAtMs - heard.begunAtMs) / 1_000,
        comparing: (comparedAtMs - heard.rowsAtMs) / 1_000,
        writing: (madeAtMs - comparedAtMs) / 1_000,
      },
      attempts: heard.attempts,
      bodies: heard.opened.size,
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

async function tellFinished({ bus }: DiffGround, run: BenchRun, pages: number): Promise<void> {
  const { runId, workspaceId, projectId } = run;
  const fact = {
    ...{ runId, workspaceId, projectId, trigger: 'api', status: 'done', stop: 'finished' },
    ...{ finishedAt: new Date(), pages, counts: {}, creditsUsed: pages },
  };
  await bus.publish(facts.runFinished.subject, [outgoing(facts.runFinished, `finished:${runId}`, fact)]);
}

interface RecordRow {
  readonly status: string;
  readonly error: string;
  readonly counts: string;
  readonly entries: number;
}

const recordOf = ({ pool }: DiffGround, { runId }: BenchRun): Promise<RecordRow> =>
  until(
    `the record of ${runId}`,
    async () => {
      const { rows } = await pool.query<RecordRow>(
        'SELECT status, error, counts, entries FROM diff.records WHERE run_id = $1',
        [runId],
      );
      const [row] = rows;
      return row === undefined || row.status === 'waiting' ? undefined : row;
    },
    { withinMs: MADE_WITHIN_MS },
  );
