import { createHash } from 'node:crypto';
import type { routes } from '@tidemark/api';
import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { ProjectsServiceService as ProjectsRpc } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { EndpointResponse } from '../../http/endpoint.ts';
import { writeFeed } from './write-feed.ts';

export interface FeedRequest {
  readonly projectId: string;
  readonly limit: number;
  readonly baseUrl: string;
  /** The URL of the feed. */
  readonly self: string;
}

/** Returns the Atom feed of a project's newest changes with its entity tag. @throws AppError not_found */
export async function readFeed(
  { projects, diff }: { readonly projects: Peer; readonly diff: Peer },
  { projectId, limit, baseUrl, self }: FeedRequest,
  call: CallContext,
): Promise<EndpointResponse<typeof routes.changesFeed>> {
  const { project } = await projects.call(ProjectsRpc.getProject, { id: projectId }, call);
  if (project === undefined) throw new AppError('not_found', 'project not found');
  const { entries } = await diff.call(Rpc.listEntries, { projectId, limit }, call);
  const bytes = Buffer.from(writeFeed(project, entries, { baseUrl, self }));
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
  // A reader stores the feed and revalidates it at each request.
  return { status: 200, bytes, headers: { etag, 'cache-control': 'private, no-cache' } };
}
