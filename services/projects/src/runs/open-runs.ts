import type { Peer } from '@tidemark/service';
import type { SavedLogins } from '../logins/saved-logins.ts';
import { makeSealModel } from '../project-config/seal-model.ts';
import type { ProjectStore } from '../store/project-store.ts';
import { ProjectRuns } from './project-runs.ts';
import { makeRecrawl } from './recrawl.ts';
import { makeStartRun } from './start-run.ts';
import { makeStartRequestedRun, makeStartRuns } from './start-runs.ts';

export interface RunDeps {
  readonly store: ProjectStore;
  readonly logins: SavedLogins;
  readonly crawl: Peer;
  readonly exports: Peer;
}

export type RunUseCases = ReturnType<typeof openRuns>;

/** The use cases of runs. */
export function openRuns({ store: projects, logins, crawl, exports }: RunDeps) {
  const startRun = makeStartRun({ projects, logins, crawl, sealModel: makeSealModel(exports) });
  const startRequestedRun = makeStartRequestedRun(startRun);
  return {
    startRun,
    startRequestedRun,
    startRuns: makeStartRuns(startRequestedRun),
    recrawl: makeRecrawl({ projects, startRun }),
    runs: new ProjectRuns(projects, crawl),
  };
}
