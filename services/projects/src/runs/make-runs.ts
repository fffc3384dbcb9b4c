import type { Peer } from '@tidemark/service';
import type { SavedLogins } from '../logins/saved-logins.ts';
import { makeSealModel } from '../project-config/seal-model.ts';
import type { ProjectStore } from '../store/project-store.ts';
import { ProjectRuns } from './project-runs.ts';
import type { Recrawl } from './recrawl.ts';
import { makeRecrawl } from './recrawl.ts';
import type { StartRun } from './start-run.ts';
import { makeStartRun } from './start-run.ts';
import type { StartRequestedRun, StartRuns, StartTaggedRuns } from './start-runs.ts';
import { makeStartRequestedRun, makeStartRuns, makeStartTaggedRuns } from './start-runs.ts';

export interface RunDeps {
  readonly store: ProjectStore;
  readonly logins: SavedLogins;
  readonly crawl: Peer;
  readonly exports: Peer;
}

/** The use cases of runs. */
export interface RunUseCases {
  readonly startRun: StartRun;
  readonly startRequestedRun: StartRequestedRun;
  readonly startRuns: StartRuns;
  readonly startTaggedRuns: StartTaggedRuns;
  readonly recrawl: Recrawl;
  readonly runs: ProjectRuns;
}

/** Makes the use cases of runs. */
export function makeRuns({ store: projects, logins, crawl, exports }: RunDeps): RunUseCases {
  const startRun = makeStartRun({ projects, logins, crawl, sealModel: makeSealModel(exports) });
  const startRequestedRun = makeStartRequestedRun(startRun);
  const startRuns = makeStartRuns(startRequestedRun);
  return {
    startRun,
    startRequestedRun,
    startRuns,
    startTaggedRuns: makeStartTaggedRuns({ projects, startRuns }),
    recrawl: makeRecrawl({ projects, startRun }),
    runs: new ProjectRuns(projects, crawl),
  };
}
