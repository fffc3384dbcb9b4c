import { type App, type Peer, PeriodicTask } from '@tidemark/service';
import type pg from 'pg';
import type { AdmitUrl } from '../domain/admit-url.ts';
import type { RecordRunEnd } from '../health/on-run-finished.ts';
import type { CheckConfigChange } from '../project-config/check-config-change.ts';
import type { ProjectQuota } from '../projects/project-quota.ts';
import type { ProjectStore } from '../store/project-store.ts';
import type { ProjectWriter } from '../store/project-writer.ts';
import { makeAdoptRun, makeCompleteAdoptions } from './adopt-run.ts';
import { AdoptionStore } from './adoption-store.ts';
import type { KeepCrawl } from './keep-crawl.ts';
import { makeKeepCrawl } from './keep-crawl.ts';

const COMPLETE_EVERY_MS = 5_000;

export interface KeepDeps {
  readonly app: Pick<App<unknown>, 'own' | 'log'>;
  readonly pool: pg.Pool;
  readonly store: ProjectStore;
  readonly writer: ProjectWriter;
  readonly quota: ProjectQuota;
  readonly crawl: Peer;
  readonly checkConfigChange: CheckConfigChange;
  readonly admit: AdmitUrl;
  readonly recordRunEnd: RecordRunEnd;
  readonly now: () => Date;
}

/** Makes projects of crawls, and completes interrupted adoptions in the background. */
export function openKeepCrawl({
  app,
  pool,
  store: projects,
  writer,
  quota,
  crawl,
  checkConfigChange,
  admit,
  recordRunEnd,
  now,
}: KeepDeps): KeepCrawl {
  const adoptions = new AdoptionStore(pool);
  const adoptRun = makeAdoptRun({ adoptions, crawl, recordRunEnd });
  app.own(
    new PeriodicTask({
      everyMs: COMPLETE_EVERY_MS,
      run: makeCompleteAdoptions({ adoptions, adoptRun, log: app.log }),
      failed: 'interrupted adoptions could not be completed, will retry',
      log: app.log,
    }),
  );
  return makeKeepCrawl({
    projects,
    writer,
    quota,
    adoptions,
    adoptRun,
    crawl,
    checkConfigChange,
    admit,
    now,
  });
}
