import { CrawlServiceService as Crawl, type Run } from '@tidemark/contracts/crawl/v1/crawl';
import { type ChangeEvent, DiffServiceService as Diff, type GetRecordResponse } from '@tidemark/contracts/diff/v1/diff';
import { type DiscoveryResponse, type MapJob, MapServiceService as MapRpc } from '@tidemark/contracts/map/v1/map';
import type { RunPage } from '@tidemark/contracts/page/v1/page';
import { type Channels, ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';

const SLOW_CALL_MS = 30_000;

/** The services that know what is told of. */
export interface Peers {
  readonly crawl: Peer;
  readonly map: Peer;
  readonly projects: Peer;
  readonly diff: Peer;
}

/** Entries of a record that were looked at, and what they give to tell. */
export interface ChangeEventPage {
  readonly events: readonly ChangeEvent[];
  /** The place of the last entry looked at. */
  readonly last: number;
  readonly isMore: boolean;
}

/** Pages of a crawl: those after a number. */
export interface PageRange {
  readonly after: number;
  readonly limit: number;
}

/** A crawl as it was before its pages were read. */
export interface Crawled {
  readonly run: Run;
  readonly pages: readonly RunPage[];
}

/** What is told of, asked for in the name of the workspace it belongs to. What is gone is undefined. */
export class PeerQueries {
  readonly #peers: Peers;

  constructor(peers: Peers) {
    this.#peers = peers;
  }

  /** Whom a project tells. */
  channels(workspaceId: string, projectId: string): Promise<Channels | undefined> {
    const response = this.#peers.projects.call(Projects.openChannels, { projectId }, callFor(workspaceId, projectId));
    return orUndefined(response.then(({ channels }) => channels));
  }

  /** The record of a run with the first of its entries that changed: those it says nothing certain of may be thousands. */
  record(
    workspaceId: string,
    { projectId, runId }: { projectId: string; runId: string },
    limit: number,
  ): Promise<GetRecordResponse | undefined> {
    const request = { projectId, runId, after: 0, limit, kind: 'changed', unreviewed: false };
    return orUndefined(
      this.#peers.diff.call(Diff.getRecord, request, callFor(workspaceId, runId), { deadlineMs: SLOW_CALL_MS }),
    );
  }

  /** What a run's entries give to tell, from after a place on. */
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

  /** Keeps what a model said with the record. */
  async storeDigest(workspaceId: string, run: { projectId: string; runId: string }, digestJson: string): Promise<void> {
    const { projectId, runId } = run;
    const call = callFor(workspaceId, runId);
    await orUndefined(this.#peers.diff.call(Diff.storeDigest, { projectId, runId, digestJson }, call));
  }

  /** A crawl, and its pages that have ended from after a number on. */
  async crawled(workspaceId: string, id: string, { after, limit }: PageRange): Promise<Crawled | undefined> {
    const response = this.#peers.crawl.call(Crawl.listEnded, { id, after, limit }, callFor(workspaceId, id));
    const found = await orUndefined(response);
    return found?.run === undefined ? undefined : { run: found.run, pages: found.pages };
  }

  /** How the tree that a project's map read differs from the one before. */
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

/** A call in the name of a workspace: what it tells goes to that workspace's own receivers. */
const callFor = (workspaceId: string, of: string): CallContext => ({
  caller: { workspaceId, keyId: '', scope: 'admin', projects: [] },
  requestId: `telling:${of}`,
});

async function orUndefined<T>(response: Promise<T>): Promise<T | undefined> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}
