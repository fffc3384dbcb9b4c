import { routes, type Sync } from '@tidemark/api';
import { DestinationServiceService as Rpc } from '@tidemark/contracts/export/v1/destinations';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { checkedId } from '../../requests/checked-id.ts';
import type { JobSource } from '../../streams/job-feed.ts';
import { JobFeeds } from '../../streams/job-feeds.ts';
import { streamJob } from '../../streams/stream-job.ts';
import { toSync } from './destination-response.ts';

const isOver = ({ status }: Sync): boolean => status !== 'queued' && status !== 'running';

/** Returns what the events of a sync are made of: its state, and no pages. */
export const syncFeedSource = (find: () => Promise<Sync>): JobSource<Sync, never> => ({
  find,
  rows: async (_, after) => ({ rows: [], last: after, isMore: false }),
  stateOf: ({ status, rows, attempts }) => ({ status, rows, attempts }),
  doneOf: () => 0,
  endOf: (sync) => (isOver(sync) ? { location: sync.location, error: sync.error } : undefined),
});

/** Endpoints of single syncs. */
export function syncEndpoints(peer: Peer): Endpoint[] {
  const feeds = new JobFeeds<Sync, never>();
  const find = async (id: string, call: CallContext): Promise<Sync> =>
    toSync((await peer.call(Rpc.getSync, { id: checkedId('syn', id, 'sync') }, call)).sync);
  return [
    endpoint(routes.getSync, async ({ params, call, requestId }) => ({
      status: 200,
      body: { ...(await find(params.id, call)), creditsUsed: 0, request_id: requestId },
    })),

    endpoint(routes.streamSync, async ({ params, call }, { lastEventId }) => {
      const { id } = await find(params.id, call);
      const source = syncFeedSource(() => find(id, call));
      const render = (): never => {
        throw new AppError('internal', 'a sync has no pages');
      };
      return {
        status: 200,
        events: (signal) => streamJob(feeds, { jobId: id, call, lastEventId, source, render }, signal),
      };
    }),
  ];
}
