import { ALL_PROJECTS, onlyProjects } from '@tidemark/contracts';
import type pg from 'pg';
import { openPool } from '../../libs/service/src/postgres.ts';
import { Deliveries, type DeliveryQuery, type DeliveryScope } from '../../services/delivery/src/store/deliveries.ts';
import { type Figures, timesOf } from '../archive/figures.ts';
import { cpuOfTreeMs } from '../shared/cpu.ts';

const P95_MOST_MS = 30;
const ROUNDS = 200;
const PIECE = 100_000;
const PROJECTS = 20;
const RUNS = 10_000;
const WORKSPACE = 'ws_bench';

/** Inserts `count` deliveries of one workspace with one attempt each: 0.1 % failed, 0.01 % paused. */
async function fill(pool: pg.Pool, rows: number): Promise<void> {
  for (let from = 0; from < rows; from += PIECE) {
    const values = [from, Math.min(from + PIECE, rows) - 1];
    await pool.query(
      `INSERT INTO deliveries (id, key, workspace_id, project_id, run_id, event, kind, receiver_id, body, status, queue_key, host, url, attempts, last_status, created_at)
       SELECT 'whd_' || lpad(n::text, 26, '0'), 'bench ' || n, '${WORKSPACE}', 'prj_' || n % ${PROJECTS}, 'run_' || n % ${RUNS}, 'page.changed',
         'webhook', 'prj_' || n % ${PROJECTS} || ':webhook', repeat('x', 500),
         CASE WHEN n % 10000 = 17 THEN 'paused' WHEN n % 1000 = 3 THEN 'failed' ELSE 'delivered' END, 'queue', 'site.test', '', 1, 200, now()
       FROM generate_series($1::int, $2::int) n`,
      values,
    );
    await pool.query(
      `INSERT INTO attempts (delivery_id, number, at, status, error, duration_ms, answer, by)
       SELECT 'whd_' || lpad(n::text, 26, '0'), 1, now(), 200, '', 12, 'ok', 'schedule' FROM generate_series($1::int, $2::int) n`,
      values,
    );
  }
  await pool.query('ANALYZE deliveries');
  await pool.query('ANALYZE attempts');
}

/** Measures list queries among `rows` deliveries. */
export async function measureLists(
  figures: Figures,
  databaseUrl: string,
  postgresPid: number,
  rows: number,
): Promise<void> {
  const pool = openPool(databaseUrl, 'delivery', 4);
  try {
    await fill(pool, rows);
    const deliveries = new Deliveries(pool);
    const all: DeliveryScope = { workspaceId: WORKSPACE, access: ALL_PROJECTS };
    const some: DeliveryScope = { workspaceId: WORKSPACE, access: onlyProjects(['prj_1', 'prj_2', 'prj_3']) };
    const request: DeliveryQuery = { projectId: '', runId: '', status: '', before: '', limit: 50 };
    const cursor = (round: number) => `whd_${String(Math.floor((rows / ROUNDS) * (round + 1))).padStart(26, '0')}`;
    const queries: readonly (readonly [string, DeliveryScope, (round: number) => Partial<DeliveryQuery>])[] = [
      ['workspace', all, (round) => ({ before: cursor(round) })],
      ['workspace, 200 of them', all, (round) => ({ before: cursor(round), limit: 200 })],
      ['project', all, (round) => ({ projectId: `prj_${round % PROJECTS}`, before: cursor(round) })],
      ['run', all, (round) => ({ runId: `run_${round}` })],
      ['failed', all, (round) => ({ status: 'failed', before: cursor(round) })],
      ['paused of a project', all, () => ({ status: 'paused', projectId: 'prj_17' })],
      ['retrying, of which there are none', all, () => ({ status: 'retrying' })],
      ['a key with three projects', some, (round) => ({ before: cursor(round) })],
      ['a run of a key with three projects', some, (round) => ({ runId: `run_${round}` })],
    ];
    for (const [what, scope, of] of queries) {
      const times = await timesOf(
        ROUNDS,
        () => cpuOfTreeMs(postgresPid),
        (round) => deliveries.list(scope, { ...request, ...of(round) }),
      );
      figures.times(`list among ${rows / 1_000}k: ${what}`, times, P95_MOST_MS);
    }
  } finally {
    await pool.end();
  }
}
