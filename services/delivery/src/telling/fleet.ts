import { CrawlServiceService as Crawl, type Run, type RunPage } from '@tidemark/contracts/crawl/v1/crawl';
import { type ChangeEvent, DiffServiceService as Diff, type GetRecordResponse } from '@tidemark/contracts/diff/v1/diff';
import { type DiscoveryResponse, type MapJob, MapServiceService as MapRpc } from '@tidemark/contracts/map/v1/map';
import { type Channels, ProjectsServiceService as Projects } from '@tidemark/contracts/projects/v1/projects';
import { type Job, ScrapeServiceService as Scrape } from '@tidemark/contracts/scrape/v1/scrape';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type JobWebhook, jobReceiver } from './job-messages.ts';

const SLOW_MS = 30_000;

/** The services that know what is told of. */
export interface Peers {
  readonly crawl: Peer;
  readonly scrape: Peer;
  readonly map: Peer;
  readonly projects: Peer;
  readonly diff: Peer;
}

/** Entries of a record that were looked at, and what they give to tell. */
export interface FactPage {
  readonly events: readonly ChangeEvent[];
  /** The place of the last entry looked at. */
  readonly last: number;
  readonly isMore: boolean;
}

/** What is told of, asked for in the name of the workspace it belongs to. What is gone is undefined. */
export class Fleet {
  readonly #peers: Peers;

  constructor(peers: Peers) {
    this.#peers = peers;
  }

  /** Whom a project tells. */
  channels(workspaceId: string, projectId: string): Promise<Channels | undefined> {
    const asked = this.#peers.projects.call(Projects.openChannels, { projectId }, callFor(workspaceId, projectId));
    return unlessGone(asked.then(({ channels }) => channels));
  }

  /** The record of a run with the first of its entries that changed: those it says nothing certain of may be thousands. */
  record(
    workspaceId: string,
    { projectId, runId }: { projectId: string; runId: string },
    limit: number,
  ): Promise<GetRecordResponse | undefined> {
    const request = { projectId, runId, after: 0, limit, kind: 'changed', unreviewed: false };
    return unlessGone(
      this.#peers.diff.call(Diff.getRecord, request, callFor(workspaceId, runId), { deadlineMs: SLOW_MS }),
    );
  }

  /** What a run's entries give to tell, from after a place on. */
  async facts(
    workspaceId: string,
    run: { projectId: string; runId: string },
    after: number,
    limit: number,
  ): Promise<FactPage> {
    const { projectId, runId } = run;
    const call = callFor(workspaceId, runId);
    const request = { projectId, runId, after, limit };
    const told = await unlessGone(this.#peers.diff.call(Diff.listChangeEvents, request, call, { deadlineMs: SLOW_MS }));
    return told ?? { events: [], last: after, isMore: false };
  }

  /** Keeps what a model said with the record. */
  async keepDigest(workspaceId: string, run: { projectId: string; runId: string }, digestJson: string): Promise<void> {
    const { projectId, runId } = run;
    const call = callFor(workspaceId, runId);
    await unlessGone(this.#peers.diff.call(Diff.storeDigest, { projectId, runId, digestJson }, call));
  }

  run(workspaceId: string, id: string): Promise<Run | undefined> {
    const request = { id, withLog: false, withConfig: false };
    return unlessGone(this.#peers.crawl.call(Crawl.getRun, request, callFor(workspaceId, id)).then(({ run }) => run));
  }

  /** Pages of a run that have ended, from after a number on. */
  async ended(workspaceId: string, id: string, after: number, limit: number): Promise<readonly RunPage[]> {
    const asked = this.#peers.crawl.call(Crawl.listEnded, { id, after, limit }, callFor(workspaceId, id));
    return (await unlessGone(asked))?.pages ?? [];
  }

  /** The webhook of a crawl. */
  async crawlWebhook(workspaceId: string, runId: string): Promise<JobWebhook | undefined> {
    const asked = this.#peers.crawl.call(Crawl.openWebhook, { runId }, callFor(workspaceId, runId));
    const opened = await unlessGone(asked);
    if (opened === undefined) return undefined;
    const { events, metadataJson } = opened;
    return { receiver: jobReceiver(workspaceId, runId, opened), events, metadataJson };
  }

  /** A batch and the webhook it has. */
  async batch(workspaceId: string, jobId: string): Promise<{ job: Job; webhook: JobWebhook } | undefined> {
    const call = callFor(workspaceId, jobId);
    const [opened, job] = await Promise.all([
      unlessGone(this.#peers.scrape.call(Scrape.openWebhook, { jobId }, call)),
      unlessGone(this.#peers.scrape.call(Scrape.getJob, { id: jobId }, call).then((answer) => answer.job)),
    ]);
    if (opened === undefined || job === undefined) return undefined;
    return { job, webhook: { receiver: jobReceiver(workspaceId, jobId, opened), events: [], metadataJson: '' } };
  }

  /** A project's map, and how the tree it read differs from the one before. */
  async map(
    workspaceId: string,
    projectId: string,
    id: string,
  ): Promise<{ job: MapJob; discovery: DiscoveryResponse | undefined } | undefined> {
    const call = callFor(workspaceId, id);
    const { map } = this.#peers;
    const job = await unlessGone(map.call(MapRpc.getMap, { id, withFiles: false }, call).then((answer) => answer.job));
    if (job === undefined) return undefined;
    const request = { url: job.url, snapshotId: id, projectId };
    const discovery = await unlessGone(map.call(MapRpc.discovery, request, call, { deadlineMs: SLOW_MS }));
    return { job, discovery };
  }
}

/** A call in the name of a workspace: what it tells goes to that workspace's own receivers. */
const callFor = (workspaceId: string, of: string): CallContext => ({
  caller: { workspaceId, keyId: '', scope: 'admin', projects: [] },
  requestId: `telling:${of}`,
});

async function unlessGone<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}
