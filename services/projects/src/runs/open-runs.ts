import type { Peer } from '@tidemark/service';
import type pg from 'pg';
import type { SavedLogins } from '../logins/saved-logins.ts';
import type { ProjectStore } from '../store/project-store.ts';
import { ProjectRuns } from './project-runs.ts';
import { makeRecrawl } from './recrawl.ts';
import { RecrawlLease } from './recrawl-lease.ts';
import { makeStartRun } from './start-run.ts';
import { makeStartRequestedRun, makeStartRuns } from './start-runs.ts';

export interface RunDeps {
  readonly pool: pg.Pool;
  readonly store: ProjectStore;
  readonly logins: SavedLogins;
  readonly crawl: Peer;
}

export type RunUseCases = ReturnType<typeof openRuns>;

/** The use cases of runs. */
export function openRuns({ pool, store: projects, logins, crawl }: RunDeps) {
  const startRun = makeStartRun({ projects, logins, crawl });
  const startRequestedRun = makeStartRequestedRun(startRun);
  return {
    startRun,
    startRequestedRun,
    startRuns: makeStartRuns(startRequestedRun),
    recrawl: makeRecrawl({ projects, lease: new RecrawlLease(pool), startRun, crawl }),
    runs: new ProjectRuns(projects, crawl),
  };
}
