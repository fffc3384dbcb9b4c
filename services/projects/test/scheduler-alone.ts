// A scheduler in a process of its own, whose clock is a row of the test's database.

import { toProjectRun } from '@tidemark/api';
import { Sealer } from '@tidemark/sealing';
import { createLogger, dial, openPool, prismaAdapter } from '@tidemark/service';
import { takes } from '@tidemark/testkit';
import { PrismaClient } from '../src/generated/prisma/client.ts';
import { LoginStore } from '../src/logins/login-store.ts';
import { RunDesk } from '../src/run-desk.ts';
import { RunStarter } from '../src/run-starter.ts';
import { Scheduler } from '../src/schedule/scheduler.ts';
import { makeSettle } from '../src/settle.ts';
import { DueStore } from '../src/store/due-store.ts';
import { ProjectStore } from '../src/store/project-store.ts';

const { DATABASE_URL = '', CRAWL_ADDR = '', SEALING_KEYS = '', OWNER = '' } = process.env;
const log = createLogger('scheduler', process.env['LOG_LEVEL'] ?? 'silent');
const pool = openPool(DATABASE_URL, 'projects');
const db = new PrismaClient({ adapter: prismaAdapter(pool, 'projects') });
const store = new ProjectStore(pool, db, new Sealer(SEALING_KEYS));
const crawl = dial('crawl', CRAWL_ADDR);
const starter = new RunStarter({
  projects: store,
  logins: new LoginStore(pool),
  crawl,
  settle: makeSettle(toProjectRun),
  isSecret: () => false,
});
const runs = new RunDesk({ projects: store, starter, crawl });
let clock = new Date(0);
const scheduler = new Scheduler({
  dues: new DueStore(pool, OWNER),
  startRun: (due) => runs.startDue(due),
  now: () => clock,
  log,
});

for (;;) {
  const { rows } = await pool.query<{ now: Date }>('SELECT now FROM public.test_clock');
  clock = rows[0]?.now ?? clock;
  await scheduler.round(() => true);
  await takes(10);
}
