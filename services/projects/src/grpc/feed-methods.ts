import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { type BoundMethod, callerOf, handle } from '@tidemark/service';
import type { FeedLinks } from '../feeds/feed-links.ts';

/** Capability tokens of change feeds. `openFeedLink` has no caller: the token identifies the feed. */
export function feedMethods(feedLinks: FeedLinks): BoundMethod[] {
  return [
    handle(Rpc.createFeedLink, async ({ projectId, name }, ctx) => feedLinks.create(callerOf(ctx), projectId, name)),
    handle(Rpc.listFeedLinks, async ({ projectId }, ctx) => ({
      links: [...(await feedLinks.list(callerOf(ctx), projectId))],
    })),
    handle(Rpc.revokeFeedLink, async ({ projectId, id }, ctx) => {
      await feedLinks.revoke(callerOf(ctx), projectId, id);
      return {};
    }),
    handle(Rpc.openFeedLink, async ({ tokenHash }) => feedLinks.open(tokenHash)),
  ];
}
