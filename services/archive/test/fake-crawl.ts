import { CrawlServiceService as Rpc, type Run, type RunPage } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';
import { callerOf, defineService, handle } from '@tidemark/service';
import { type RunningService, startService } from '@tidemark/testkit';
import { unasked } from './unasked.ts';

/** A run as crawl knows it. */
export interface KnownRun {
  readonly workspaceId: string;
  readonly projectId: string;
  readonly pages: RunPage[];
  /** running, done. */
  status: string;
}

/** The side of crawl that the archive asks: runs, and the pages of them that have ended. */
export interface FakeCrawl extends RunningService {
  readonly runs: Map<string, KnownRun>;
  /** How often pages were asked for. */
  asked: number;
  away: boolean;
}

export async function startFakeCrawl(): Promise<FakeCrawl> {
  const runs = new Map<string, KnownRun>();
  const face = { asked: 0, away: false };
  const find = (workspaceId: string, id: string): KnownRun => {
    if (face.away) throw new AppError('unavailable', 'the fake is told to be away');
    const run = runs.get(id);
    if (run === undefined || run.workspaceId !== workspaceId) throw new AppError('not_found', 'there is no such run');
    return run;
  };
  const { getRun, listEnded, ...others } = Rpc;
  const definition = defineService({
    name: 'crawl',
    config: {},
    async start(app) {
      app.serve(Rpc, [
        handle(getRun, async ({ id }, ctx) => {
          const { projectId, status } = find(callerOf(ctx).workspaceId, id);
          const run: Run = {
            ...BLANK,
            id,
            projectId,
            status,
            finishedAt: status === 'running' ? undefined : new Date(),
          };
          return { run, log: [], configJson: '' };
        }),
        handle(listEnded, async ({ id, after, limit }, ctx) => {
          face.asked += 1;
          const { pages } = find(callerOf(ctx).workspaceId, id);
          return { pages: pages.filter(({ number }) => number > after).slice(0, limit) };
        }),
        ...Object.values(others).map(({ path }) => unasked(path)),
      ]);
    },
  });
  return Object.assign(face, await startService(definition, {}), { runs });
}

const BLANK: Run = {
  id: '',
  seed: 'https://example.com/',
  status: 'running',
  paused: false,
  createdAt: new Date(0),
  finishedAt: undefined,
  done: 0,
  total: 0,
  queued: 0,
  creditsUsed: 0,
  stop: undefined,
  error: undefined,
  requestId: '',
  formats: [],
  counts: {},
  held: [],
  traps: [],
  trigger: 'manual',
  projectId: '',
  startedAt: undefined,
};
