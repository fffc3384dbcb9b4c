// A scheduler in a separate process, with a clock that is a row of the test's database.

import { Sealer } from '@tidemark/sealing';
import { createLogger, dial, fleetAccess, openPool, prismaAdapter } from '@tidemark/service';
import { takes } from '@tidemark/testkit';
import { PrismaClient } from '../src/generated/prisma/client.ts';
import { makeStartRun } from '../src/runs/start-run.ts';
import { DueRunStore } from '../src/schedule/due-run-store.ts';
import { Scheduler } from '../src/schedule/scheduler.ts';
import { makeStartDueRun } from '../src/schedule/start-due-run.ts';
import { ProjectStore } from '../src/store/project-store.ts';

const { DATABASE_URL = '', CRAWL_ADDR = '', SEALING_KEYS = '', FLEET_KEYS = '', OWNER = '' } = process.env;
const log = createLogger('scheduler', process.env['LOG_LEVEL'] ?? 'silent');
const pool = openPool(DATABASE_URL, 'projects');
const db = new PrismaClient({ adapter: prismaAdapter(pool, 'projects') });
const startRun = makeStartRun({
  projects: new ProjectStore(pool, db, new Sealer(SEALING_KEYS)),
  logins: { recordRun: async () => false },
  sealModel: async (options) => options,
  crawl: dial('crawl', CRAWL_ADDR, fleetAccess('projects', { FLEET_KEYS })),
});
let clock = new Date(0);
const scheduler = new Scheduler({
  dueRuns: new DueRunStore(pool, OWNER),
  startRun: makeStartDueRun(startRun, async () => true),
  now: () => clock,
  log,
});

for (;;) {
  try {
    const { rows } = await pool.query<{ now: Date }>('SELECT now FROM public.test_clock');
    clock = rows[0]?.now ?? clock;
    await scheduler.run(() => true);
  } catch (error) {
    log.warn({ err: error }, 'the scheduler failed, will retry');
  }
  await takes(10);
}
