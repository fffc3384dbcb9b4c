import { onOwnBehalf } from '@tidemark/contracts';
import { CrawlServiceService as Crawl, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import {
  type AlertMatch,
  type ChangeEvent,
  DiffServiceService as Diff,
  type GetRecordResponse,
} from '@tidemark/contracts/diff/v1/diff';
import { type DiscoveryResponse, type MapJob, MapServiceService as MapRpc } from '@tidemark/contracts/map/v1/map';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { type Channels, ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { Digest } from '../notifications/notification.ts';

const SLOW_CALL_MS = 30_000;
/** Projects with channels per call, and calls at most. */
const CHANNELS_PER_CALL = 1_000;
const MAX_CHANNEL_CALLS = 10;

/** The services whose data messages are composed from. */
export interface Peers {
  readonly crawl: Peer;
  readonly map: Peer;
  readonly projects: Peer;
  readonly diff: Peer;
}

/** Change events of a range of a record's entries. */
export interface ChangeEventPage {
  readonly events: readonly ChangeEvent[];
  /** Position of the last entry read. */
  readonly last: number;
  readonly isMore: boolean;
}

/** Pages of a crawl: those after a number. */
export interface PageRange {
  readonly after: number;
  readonly limit: number;
}

/** A crawl, read before its pages. */
export interface Crawled {
  readonly run: Run;
  readonly pages: readonly RunPage[];
}

/** Queries other services under the identity of the workspace. Deleted objects are undefined. */
export class PeerQueries {
  readonly #peers: Peers;

  constructor(peers: Peers) {
    this.#peers = peers;
  }

  /** Reads the channels of a project. */
  channels(workspaceId: string, projectId: string): Promise<Channels | undefined> {
    const response = this.#peers.projects.call(Projects.openChannels, { projectId }, callFor(workspaceId, projectId));
    return orUndefined(response.then(({ channels }) => channels));
  }

  /** Reads the channels of the projects of a workspace, newest project first, at most 10,000. Chat URLs are masked. */
  async allChannels(workspaceId: string): Promise<Channels[]> {
    const all: Channels[] = [];
    let cursor: string | undefined;
    for (let calls = 0; calls < MAX_CHANNEL_CALLS; calls += 1) {
      const request = { limit: CHANNELS_PER_CALL, cursor };
      const { channels, next } = await this.#peers.projects.call(
        Projects.listChannels,
        request,
        callFor(workspaceId, 'channels'),
      );
      all.push(...channels);
      if (next === undefined) break;
      cursor = next;
    }
    return all;
  }

  /** Reads the record of a run with its first changed entries; the unverified ones may be thousands and are left out. */
  record(
    workspaceId: string,
    { projectId, runId }: { projectId: string; runId: string },
    limit: number,
  ): Promise<GetRecordResponse | undefined> {
    const request = { projectId, runId, after: 0, limit, kind: 'changed' as const, unreviewed: false };
    return orUndefined(
      this.#peers.diff.call(Diff.getRecord, request, callFor(workspaceId, runId), { deadlineMs: SLOW_CALL_MS }),
    );
  }

  /** Reads the change events of a run's entries after a position. */
  async changeEvents(
    workspaceId: string,
    run: { projectId: string; runId: string },
    after: number,
    limit: number,
  ): Promise<ChangeEventPage> {
    const { projectId, runId } = run;
    const call = callFor(workspaceId, runId);
    const request = { projectId, runId, after, limit };
    const page = await orUndefined(
      this.#peers.diff.call(Diff.listChangeEvents, request, call, { deadlineMs: SLOW_CALL_MS }),
    );
    return page ?? { events: [], last: after, isMore: false };
  }

  /** Reads the changes of a run's record that alert rules match, at most `limit`. */
  async alertMatches(
    workspaceId: string,
    { projectId, runId }: { readonly projectId: string; readonly runId: string },
    limit: number,
  ): Promise<readonly AlertMatch[]> {
    const request = { projectId, runId, limit };
    const options = { deadlineMs: SLOW_CALL_MS };
    const found = await orUndefined(
      this.#peers.diff.call(Diff.listAlertMatches, request, callFor(workspaceId, runId), options),
    );
    return found?.matches ?? [];
  }

  /** Stores the digest with the record. */
  async storeDigest(workspaceId: string, run: { projectId: string; runId: string }, digest: Digest): Promise<void> {
    const { projectId, runId } = run;
    const call = callFor(workspaceId, runId);
    await orUndefined(
      this.#peers.diff.call(
        Diff.storeDigest,
        { projectId, runId, digest: { ...digest, points: [...digest.points] } },
        call,
      ),
    );
  }

  /** Reads a crawl and its ended pages after a number. */
  async crawled(workspaceId: string, id: string, { after, limit }: PageRange): Promise<Crawled | undefined> {
    const response = this.#peers.crawl.call(Crawl.listEnded, { id, after, limit }, callFor(workspaceId, id));
    const found = await orUndefined(response);
    return found?.run === undefined ? undefined : { run: found.run, pages: found.pages };
  }

  /** Reads the difference between the tree of a project's map and the previous one. */
  discovery(
    workspaceId: string,
    projectId: string,
    { id: snapshotId, url }: Pick<MapJob, 'id' | 'url'>,
  ): Promise<DiscoveryResponse | undefined> {
    const request = { url, snapshotId, projectId };
    const call = callFor(workspaceId, snapshotId);
    return orUndefined(this.#peers.map.call(MapRpc.discovery, request, call, { deadlineMs: SLOW_CALL_MS }));
  }
}

/** Context of a call on the service's own behalf for a workspace: the response is sent to receivers of that workspace only. */
const callFor = (workspaceId: string, of: string): CallContext => ({
  caller: onOwnBehalf('delivery', workspaceId),
  requestId: `delivery:${of}`,
});

async function orUndefined<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}
