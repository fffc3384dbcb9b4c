import { createHash } from 'node:crypto';
import { type FeedLink, routes } from '@tidemark/api';
import { isId, onlyProjects, onOwnBehalf } from '@tidemark/contracts';
import { ProjectsServiceService as Rpc, type FeedLink as WireFeedLink } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { AuthFailures } from '../../middleware/auth-failures.ts';
import { checkedProjectId } from '../../requests/checked-project.ts';
import { WHOLE_LIST } from '../../requests/list-cursors.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { readFeed } from '../changes/read-feed.ts';

const TOKEN = /^feed_[\w-]{43}$/;
/** Requests per minute with one token. */
const FEED_RPM = 60;

const noSuchFeed = (): AppError => new AppError('not_found', 'feed not found');

function toFeedLink(link: WireFeedLink | undefined): FeedLink {
  if (link === undefined) throw new AppError('internal', 'projects returned no feed URL');
  const { id, name, createdBy, createdAt } = link;
  return { id, name: name ?? null, createdBy, createdAt: timeOf(createdAt) };
}

/** Endpoints of feed URLs, and the public feed that they open. */
export function feedEndpoints({ projects, diff }: { readonly projects: Peer; readonly diff: Peer }): Endpoint[] {
  const failures = new AuthFailures();
  return [
    endpoint(routes.createFeedLink, async ({ params, body, baseUrl, call, requestId }) => {
      const request = { projectId: checkedProjectId(params.id), name: body.name ?? '' };
      const { link, token } = await projects.call(Rpc.createFeedLink, request, call);
      const url = feedUrl(baseUrl, token);
      return { status: 201, body: { ...toFeedLink(link), url, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.listFeedLinks, async ({ params, call, requestId }) => {
      const { links } = await projects.call(Rpc.listFeedLinks, { projectId: checkedProjectId(params.id) }, call);
      return {
        status: 200,
        body: { data: links.map(toFeedLink), ...WHOLE_LIST, creditsUsed: 0, request_id: requestId },
      };
    }),

    endpoint(routes.revokeFeedLink, async ({ params, call }) => {
      const projectId = checkedProjectId(params.id);
      if (!isId('fdl', params.feed)) throw noSuchFeed();
      await projects.call(Rpc.revokeFeedLink, { projectId, id: params.feed }, call);
      return { status: 204 };
    }),

    endpoint(routes.openFeed, async ({ params: { token }, query, baseUrl, requestId }, details) => {
      const { clientAddress } = details;
      const { id, workspaceId, projectId } = await openFeed(projects, failures, { token, requestId, clientAddress });
      // A window of its own: the holder of a URL must not use up the requests of the workspace.
      await details.countRequest({
        workspaceId: id,
        keyId: id,
        keyRpm: FEED_RPM,
        workspaceRpm: FEED_RPM,
        owner: 'feed URL',
      });
      const caller = onOwnBehalf('gateway', workspaceId, onlyProjects([projectId]));
      const call = { requestId, caller };
      return readFeed(
        { projects, diff },
        { projectId, limit: query.limit, baseUrl, self: feedUrl(baseUrl, token) },
        call,
      );
    }),
  ];
}

const feedUrl = (baseUrl: string, token: string): string => `${baseUrl}/feeds/${token}/changes.atom`;

/** Returns the feed of a token. Unknown tokens are counted per client address. @throws AppError not_found, rate_limited */
async function openFeed(
  projects: Peer,
  failures: AuthFailures,
  {
    token,
    requestId,
    clientAddress,
  }: { readonly token: string; readonly requestId: string; readonly clientAddress: string },
) {
  const takeBack = failures.count(clientAddress);
  if (!TOKEN.test(token)) throw noSuchFeed();
  // Only the hash leaves this process.
  const tokenHash = createHash('sha256').update(token).digest();
  try {
    const feed = await projects.call(Rpc.openFeedLink, { tokenHash }, { requestId });
    takeBack();
    return feed;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'not_found') takeBack();
    throw error;
  }
}
