import { randomBytes } from 'node:crypto';
import { actorOf, type Caller, newId, work } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import { requireSameBody } from '@tidemark/jobs';
import type { Bus, Logger } from '@tidemark/service';
import { normalizeUrl } from '@tidemark/web-url';
import type { NewBatchPage } from '../domain/batch.ts';
import type { CaptureOptions } from '../domain/capture-options.ts';
import { creditsToLease, type Rung, rungsFor } from '../domain/ladder.ts';
import type { BatchStore } from '../store/batch-store.ts';
import type { JobStore } from '../store/job-store.ts';

const ROUTE = 'POST /scrape';
const SECRET_BYTES = 32;

export interface BatchRequest {
  readonly urls: readonly string[];
  readonly options: CaptureOptions;
  readonly concurrency: number;
  readonly delayMs: number;
  /** Absent: none. */
  readonly webhookUrl?: string | undefined;
  /** Events sent in addition to batch.finished. */
  readonly webhookEvents: readonly string[];
  /** Echoed on every message; empty: none. */
  readonly webhookMetadataJson?: string | undefined;
  /** Position of each URL in the caller's list; empty: the URLs are that list. */
  readonly inputs: readonly number[];
  /** The destination that its pages are written to. */
  readonly destinationId?: string | undefined;
  readonly requestId: string;
  readonly idempotencyKey?: string | undefined;
  readonly requestHash: string;
  readonly trace: Readonly<Record<string, string>>;
}

export interface BatchServiceDeps {
  readonly jobs: JobStore;
  readonly batches: BatchStore;
  readonly bus: Pick<Bus, 'offer'>;
  readonly ladder: readonly Rung[];
  readonly exits: { readonly isEmpty: boolean };
  /** @throws AppError credits_exhausted if the workspace has fewer than `minCredits` credits left */
  readonly requireCredits: (caller: Caller, minCredits: number, unit: string) => Promise<void>;
  /** Rejects a URL that webhooks must not be sent to. @throws AppError validation */
  readonly admit: (url: string, field: string) => Promise<void>;
  readonly seal: (secret: string, context: string) => Uint8Array;
  readonly openSecret: (sealed: Uint8Array, context: string) => string;
  /** Returns the sealed secret of a batch's webhook; undefined if it has none. */
  readonly findSecret: (id: string) => Promise<Uint8Array | undefined>;
  /** Seals the headers and cookies of options for storage. */
  readonly sealOptions: (options: CaptureOptions, workspaceId: string) => CaptureOptions;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Accepts batches: stores all pages, returns at once, and offers the work host by host. */
export class BatchService {
  readonly #deps: BatchServiceDeps;

  constructor(deps: BatchServiceDeps) {
    this.#deps = deps;
  }

  /** @throws AppError credits_exhausted, conflict, validation */
  async start(caller: Caller, order: BatchRequest): Promise<{ jobId: string; secret: string; replayed: boolean }> {
    const { jobs, batches, seal, now } = this.#deps;
    const { workspaceId } = caller;
    const { idempotencyKey: key, requestHash, webhookUrl } = order;
    if (key !== undefined) {
      const earlier = await jobs.findEarlier(workspaceId, ROUTE, key);
      if (earlier !== undefined) return this.#replay(earlier, requestHash);
    }
    if (webhookUrl !== undefined) await this.#deps.admit(webhookUrl, 'webhook_url');
    const id = newId('job');
    const pages = pagesOf(order);
    await this.#requireCredits(caller, order.options);
    const secret = webhookUrl === undefined ? '' : `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    const made = await batches.create({
      batch: {
        id,
        workspaceId,
        actorId: actorOf(caller),
        options: this.#deps.sealOptions(order.options, workspaceId),
        requestId: order.requestId,
        concurrency: order.concurrency,
        delayMs: order.delayMs,
        sealedUrl: webhookUrl === undefined ? undefined : seal(webhookUrl, `${id}:url`),
        sealedSecret: secret === '' ? undefined : seal(secret, id),
        webhookEvents: order.webhookEvents,
        webhookMetadataJson: order.webhookMetadataJson,
        destinationId: order.destinationId,
        createdAt: now(),
      },
      pages,
      trace: order.trace,
      idempotency: key === undefined ? undefined : { route: ROUTE, key, requestHash },
    });
    if (!made) {
      const earlier = key === undefined ? undefined : await jobs.findEarlier(workspaceId, ROUTE, key);
      if (earlier === undefined)
        throw new AppError('unavailable', 'an earlier request with this key is being rolled back; try again');
      return this.#replay(earlier, requestHash);
    }
    for (const host of new Set(pages.map((page) => page.host))) void this.offer(id, host);
    return { jobId: id, secret, replayed: false };
  }

  /** Offers a host's pages on the bus. Never throws: the reconciler offers again what could not be sent. */
  async offer(jobId: string, host: string, round = ''): Promise<void> {
    try {
      await this.#deps.bus.offer(work.batchHost, `${jobId} ${host} ${round}`, { jobId, host });
    } catch (error) {
      this.#deps.log.warn({ err: error, job: jobId, host }, 'offering batch work failed, the reconciler will retry');
    }
  }

  /**
   * Returns the batch of an earlier request with the same key, with its webhook secret: the client that repeats a request may never have
   * received the first response. @throws AppError conflict if the earlier request had another body
   */
  async #replay(earlier: { readonly jobId: string; readonly requestHash: string }, requestHash: string) {
    requireSameBody(earlier, requestHash);
    const { jobId } = earlier;
    const sealed = await this.#deps.findSecret(jobId);
    return { jobId, secret: sealed === undefined ? '' : this.#deps.openSecret(sealed, jobId), replayed: true };
  }

  /** Refuses a batch that cannot pay for its first page, instead of ending it page by page. */
  async #requireCredits(caller: Caller, options: CaptureOptions): Promise<void> {
    const { ladder, exits, requireCredits } = this.#deps;
    const { minCredits } = creditsToLease(rungsFor(ladder, options, !exits.isEmpty), options.maxCredits);
    await requireCredits(caller, minCredits, 'batch');
  }
}

/** Returns a page for each different URL, with the inputs it answers. */
function pagesOf({ urls, inputs }: Pick<BatchRequest, 'urls' | 'inputs'>): NewBatchPage[] {
  const inputsByUrl = new Map<string, number[]>();
  for (const [at, given] of urls.entries()) {
    const url = normalizeUrl(given);
    inputsByUrl.set(url, [...(inputsByUrl.get(url) ?? []), inputs[at] ?? at]);
  }
  return [...inputsByUrl].map(([url, answered]) => ({
    captureId: newId('cap'),
    url,
    host: new URL(url).host,
    inputs: answered,
  }));
}
