import { facts, newId } from '@tidemark/contracts';
import { outgoing } from '@tidemark/service';
import { memoryOf } from '../../../services/browser-pool/src/chromium/process-tree.ts';
import { until } from '../../harness/until.ts';
import { cpuWithEndedMs } from '../archive/cpu-with-ended.ts';
import type { BenchRun } from '../archive/rows.ts';
import { cpuOfTreeMs } from '../cpu.ts';
import type { DiffGround } from './ground.ts';
import { Heard } from './peers.ts';
import { isChanged, type MadeSite } from './site.ts';
import { storeRun } from './store-run.ts';

const MADE_WITHIN_MS = 600_000;
const LOOK_EVERY_MS = 100;
const SETTLED_MS = 2_000;
const MB = 1024 * 1024;

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
  /** The most diff took meanwhile. */
  readonly peakMb: number;
}

/** Two runs of one project, and the memory of diff before either. */
export interface TwoRuns {
  readonly pages: number;
  readonly changed: number;
  readonly idleMb: number;
  readonly first: MadeRecord;
  readonly second: MadeRecord;
}

/** Stores two runs and has the record of each made by a diff that has just started. */
export async function runTwice(ground: DiffGround, site: MadeSite, pages: number): Promise<TwoRuns> {
  await ground.startAnew();
  await new Promise((done) => setTimeout(done, SETTLED_MS));
  const idleMb = memoryOf(ground.diffPid()) / MB;
  const project = { workspaceId: newId('ws'), projectId: newId('prj'), site: 1 };
  const made: MadeRecord[] = [];
  for (const generation of [1, 2]) {
    const run: BenchRun = { ...project, runId: newId('run') };
    const startedAtMs = performance.now();
    await storeRun(ground, site, { run, pages, generation });
    const seconds = ((performance.now() - startedAtMs) / 1_000).toFixed(0);
    console.log(`  … run ${generation}: ${pages} pages stored in ${seconds} s`);
    made.push(await makeRecord(ground, run, pages));
  }
  const [first, second] = made;
  if (first === undefined || second === undefined) throw new Error('two runs make two records');
  const changed = Array.from({ length: pages }, (_, page) => page).filter(isChanged).length;
  return { pages, changed, idleMb, first, second };
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
