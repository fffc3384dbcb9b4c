import { randomBytes } from 'node:crypto';
import { type Caller, newId, work } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { Bus, Logger } from '@tidemark/service';
import { normalizeUrl } from '@tidemark/web-url';
import type { CaptureOptions } from '../domain/capture-options.ts';
import { creditsToLease, type Rung, rungsFor } from '../domain/ladder.ts';
import type { BatchStore } from '../store/batch-store.ts';
import type { JobStore } from '../store/job-store.ts';

const ROUTE = 'POST /scrape';
const SECRET_BYTES = 32;

export interface BatchOrder {
  readonly urls: readonly string[];
  readonly options: CaptureOptions;
  readonly concurrency: number;
  readonly delayMs: number;
  /** Empty: none. */
  readonly webhookUrl: string;
  readonly requestId: string;
  readonly idempotencyKey: string;
  readonly requestHash: string;
  readonly trace: Readonly<Record<string, string>>;
}

export interface BatchDeskDeps {
  readonly jobs: JobStore;
  readonly batches: BatchStore;
  readonly bus: Pick<Bus, 'offer'>;
  readonly ladder: readonly Rung[];
  readonly exits: { readonly isEmpty: boolean };
  /** Credits the workspace has left that are not set aside. */
  readonly freeCredits: (caller: Caller) => Promise<number>;
  /** Refuses an address nobody may be told anything at. @throws AppError validation */
  readonly admit: (url: string, field: string) => Promise<void>;
  readonly seal: (secret: string, jobId: string) => Uint8Array;
  readonly log: Logger;
  readonly now: () => Date;
}

/** Takes batches on: written whole, answered at once, offered host by host to whoever has a hand free. */
export class BatchDesk {
  readonly #deps: BatchDeskDeps;

  constructor(deps: BatchDeskDeps) {
    this.#deps = deps;
  }

  /** @throws AppError credits_exhausted, conflict, validation */
  async start(caller: Caller, order: BatchOrder): Promise<{ jobId: string; secret: string; replayed: boolean }> {
    const { jobs, batches, seal, now } = this.#deps;
    const { workspaceId } = caller;
    const { idempotencyKey: key, requestHash, webhookUrl } = order;
    if (key !== '') {
      const earlier = await jobs.findEarlier(workspaceId, ROUTE, key);
      if (earlier !== undefined) return sameRequest(earlier, requestHash);
    }
    if (webhookUrl !== '') await this.#deps.admit(webhookUrl, 'webhook_url');
    const id = newId('job');
    const urls = [...new Set(order.urls.map((url) => normalizeUrl(url)))];
    const pages = urls.map((url) => ({ captureId: newId('cap'), url, host: new URL(url).host }));
    await this.#refusePenniless(caller, order.options);
    const secret = webhookUrl === '' ? '' : `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
    const made = await batches.create({
      batch: {
        id,
        workspaceId,
        options: order.options,
        requestId: order.requestId,
        concurrency: order.concurrency,
        delayMs: order.delayMs,
        webhookUrl: webhookUrl || undefined,
        sealedSecret: secret === '' ? undefined : seal(secret, id),
        createdAt: now(),
      },
      pages,
      trace: order.trace,
      idempotency: key === '' ? undefined : { route: ROUTE, key, requestHash },
    });
    if (!made) {
      const earlier = await jobs.findEarlier(workspaceId, ROUTE, key);
      if (earlier === undefined)
        throw new AppError('unavailable', 'an earlier request with this key is being undone; try again');
      return sameRequest(earlier, requestHash);
    }
    for (const host of new Set(pages.map((page) => page.host))) void this.offer(id, host);
    return { jobId: id, secret, replayed: false };
  }

  /** Offers a host's pages. Never throws: what doesn't get out is offered again by the reconciler. */
  async offer(jobId: string, host: string, round = ''): Promise<void> {
    try {
      await this.#deps.bus.offer(work.batchHost, `${jobId} ${host} ${round}`, { jobId, host });
    } catch (error) {
      this.#deps.log.warn({ err: error, job: jobId, host }, 'work could not be offered; the next round tries');
    }
  }

  /** A batch that could not pay for its first page is refused, not accepted and then ended page by page. */
  async #refusePenniless(caller: Caller, options: CaptureOptions): Promise<void> {
    const { ladder, exits, freeCredits } = this.#deps;
    const { least } = creditsToLease(rungsFor(ladder, options, !exits.isEmpty), options.maxCredits);
    if ((await freeCredits(caller)) >= least) return;
    throw new AppError(
      'credits_exhausted',
      `a page of this batch costs at least ${least} credit${least === 1 ? '' : 's'}, and the workspace has fewer left that are not set aside for work in flight`,
    );
  }
}

function sameRequest(
  earlier: { readonly jobId: string; readonly requestHash: string },
  requestHash: string,
): { jobId: string; secret: string; replayed: boolean } {
  if (earlier.requestHash === requestHash) return { jobId: earlier.jobId, secret: '', replayed: true };
  throw new AppError(
    'conflict',
    'this Idempotency-Key was used with another request body in the last 24 hours; send the same body, or a new key',
  );
}
