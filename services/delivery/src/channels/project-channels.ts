import { newId, onOwnBehalf } from '@tidemark/contracts';
import { type Channels, ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { LRUCache } from 'lru-cache';

/** Reads the channels of a project under this service's own identity; undefined: there is no such project. */
export type OpenChannels = (workspaceId: string, projectId: string) => Promise<Channels | undefined>;

/** Cache lifetime of a project's channels, ms. */
const CACHE_MS = 5_000;
const DEADLINE_MS = 3_000;
const MAX_CACHED = 1_000;

/** Reads channels from the projects service. */
export function makeOpenChannels(projects: Peer): OpenChannels {
  return async (workspaceId, projectId) => {
    const caller = onOwnBehalf('delivery', workspaceId);
    try {
      const call = { requestId: newId('req'), caller };
      return (await projects.call(Projects.openChannels, { projectId }, call, { deadlineMs: DEADLINE_MS })).channels;
    } catch (error) {
      if (error instanceof AppError && error.code === 'not_found') return undefined;
      throw error;
    }
  };
}

/** Channels of projects: read now, or from the cache. */
export interface CachedChannels {
  readonly fresh: OpenChannels;
  readonly recent: OpenChannels;
}

/** Caches channels briefly, so that a receiver's whole backlog needs one call. Failed calls are not cached. */
export function cacheChannels(open: OpenChannels, nowMs: () => number): CachedChannels {
  const cache = new LRUCache<string, { readonly untilMs: number; readonly channels: ReturnType<OpenChannels> }>({
    max: MAX_CACHED,
  });
  const keyOf = (workspaceId: string, projectId: string): string => `${workspaceId}\n${projectId}`;
  const fresh: OpenChannels = (workspaceId, projectId) => {
    const key = keyOf(workspaceId, projectId);
    const channels = open(workspaceId, projectId);
    const entry = { untilMs: nowMs() + CACHE_MS, channels };
    cache.set(key, entry);
    channels.catch(() => cache.get(key) === entry && cache.delete(key));
    return channels;
  };
  const recent: OpenChannels = (workspaceId, projectId) => {
    const knownUrl = cache.get(keyOf(workspaceId, projectId));
    return knownUrl !== undefined && knownUrl.untilMs > nowMs() ? knownUrl.channels : fresh(workspaceId, projectId);
  };
  return { fresh, recent };
}
