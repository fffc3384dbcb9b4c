import { fileURLToPath } from 'node:url';
import { until } from '@tidemark/testkit';
import { spawnProgram, type TestProcess } from './crawl-process.ts';
import { type ProjectsWithCrawl, startWithCrawl } from './start-with-crawl.ts';

const SCHEDULER = fileURLToPath(new URL('./scheduler-process.ts', import.meta.url));

/** Projects and crawl, with a clock that the test sets and schedulers in processes of their own. */
export interface Scheduled extends ProjectsWithCrawl {
  setClock(now: Date): Promise<unknown>;
  startScheduler(owner: string): TestProcess;
  /** Resolves when no run is due, starting or running at this time. */
  allDone(now: Date): Promise<unknown>;
}

export async function startScheduled(): Promise<Scheduled> {
  // The scheduler of the service uses the real clock and must not interfere.
  const fixture = await startWithCrawl({ SCHEDULE_SECONDS: '3600' });
  await fixture.sql('CREATE TABLE public.test_clock AS SELECT now() AS now');
  return {
    ...fixture,
    setClock: (now) => fixture.sql('UPDATE public.test_clock SET now = $1', [now]),
    startScheduler: (owner) => fixture.servers.own(spawnProgram(SCHEDULER, { ...fixture.env, OWNER: owner })),
    allDone: (now) =>
      until('all due runs to end', async () => {
        const left = await fixture.sql<{ what: string }>(
          `SELECT 'due ' || id AS what FROM projects.projects WHERE next_due <= $1
             UNION ALL SELECT concat_ws(' ', 'starting', run_id, owner, attempts, lease_until - now(), why) FROM projects.due_runs WHERE status = 'starting'
             UNION ALL SELECT concat_ws(' ', 'run', id, status, now() - created_at) FROM crawl.runs WHERE NOT cleaned_up`,
          [now],
        );
        if (left.length > 0)
          throw new Error(
            left
              .slice(0, 3)
              .map(({ what }) => what)
              .join('; '),
          );
        return true;
      }),
  };
}
