import { MONITOR_KINDS, MONITOR_QUEUES, MONITOR_STATUSES, PRIORITIES, routes } from '@tidemark/api';
import type { Activity } from '@tidemark/contracts/activity/v1/activity';
import { CrawlServiceService as CrawlRpc } from '@tidemark/contracts/crawl/v1/crawl';
import { MapServiceService as MapRpc } from '@tidemark/contracts/map/v1/map';
import { ScrapeServiceService as ScrapeRpc } from '@tidemark/contracts/scrape/v1/scrape';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { oneOf } from '../../responses/one-of.ts';

interface Deps {
  readonly scrape: Peer;
  readonly crawl: Peer;
  readonly map: Peer;
}

/** Combines the unfinished work of a workspace from the services that run jobs. */
export function monitorEndpoint({ scrape, crawl, map }: Deps): Endpoint {
  return endpoint(routes.getMonitor, async ({ call, requestId }) => {
    const responses = await Promise.all([
      scrape.call(ScrapeRpc.activity, {}, call),
      crawl.call(CrawlRpc.activity, {}, call),
      map.call(MapRpc.activity, {}, call),
    ]);
    const parts = responses.flatMap(({ activity }) => activity ?? []);
    const jobs = parts.flatMap((part) => part.jobs.map(toJob));
    jobs.sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    const queues = parts.flatMap((part) => part.queues.map(toQueue));
    queues.sort((a, b) => PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority));
    return {
      status: 200,
      body: {
        jobs,
        total: parts.reduce((sum, part) => sum + part.total, 0),
        workers: workersOf(jobs.map(({ worker }) => worker)),
        queues,
        creditsUsed: 0,
        request_id: requestId,
      },
    };
  });
}

const toQueue = ({ queue, priority, queued, running }: Activity['queues'][number]) => ({
  queue: oneOf(MONITOR_QUEUES, queue),
  priority: oneOf(PRIORITIES, priority),
  queued,
  running,
});

const toJob = ({ id, kind, status, url, projectId, worker, createdAt, done, total }: Activity['jobs'][number]) => ({
  id,
  kind: oneOf(MONITOR_KINDS, kind),
  status: oneOf(MONITOR_STATUSES, status),
  url,
  done,
  total,
  projectId: projectId ?? null,
  worker: worker ?? null,
  createdAt: (createdAt ?? new Date(0)).toISOString(),
});

function workersOf(names: readonly (string | null)[]): { name: string; jobs: number }[] {
  const counts = new Map<string, number>();
  for (const name of names) if (name !== null) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, jobs]) => ({ name, jobs }));
}
