import { setTimeout as sleep } from 'node:timers/promises';
import { work } from '@tidemark/contracts';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { Bus, Logger } from '@tidemark/service';
import type { ClaimedPage, Run } from '../../domain/run/run.ts';
import { keyOfSeed } from '../../domain/scope/page-url.ts';
import type { FrontierStore } from '../../store/frontier/frontier-store.ts';
import type { CreditRequest } from './lease-credits.ts';

const RETRY_MS = 500;

export interface DispatchDeps {
  readonly frontier: FrontierStore;
  readonly bus: Pick<Bus, 'offer'>;
  readonly leaseCredits: (request: CreditRequest) => Promise<ReadonlyMap<string, number>>;
  readonly price: (run: Run) => { readonly maxCredits: number; readonly minCredits: number };
  /** Returns earlier captures of these URLs, by URL. */
  readonly findEarlier: (run: Run, urls: readonly string[]) => Promise<ReadonlyMap<string, PageRow>>;
  /** Returns the keys of the blocks that repeat over the site. */
  readonly repeatedBlocks: (run: Run) => Promise<Buffer>;
  readonly log: Logger;
}

export interface DispatchOrder {
  readonly hasLease: () => boolean;
  /** The pages may have been offered before: pages without credits then stay in flight. */
  readonly isReoffer: boolean;
}

/** Counts of a dispatch. `unaffordable`: pages without credits, which are queued again. */
export interface Dispatched {
  readonly offered: number;
  readonly unaffordable: number;
}

/**
 * Leases credits for claimed pages and offers them as one work item per host. The work id deduplicates offers, so that the next lease holder can
 * repeat offers that may not have been sent.
 */
export function makeDispatchPages(deps: DispatchDeps) {
  return async (run: Run, pages: readonly ClaimedPage[], order: DispatchOrder): Promise<Dispatched> => {
    const { maxCredits, minCredits } = deps.price(run);
    const captureIds = pages.map((page) => page.captureId);
    const { workspaceId, actorId, projectId } = run;
    const credits = await deps
      .leaseCredits({ workspaceId, actorId, projectId, captureIds, maxCredits, minCredits })
      .catch(async (error) => {
        if (!order.isReoffer) await deps.frontier.putBack(run.id, pages);
        throw error;
      });
    const unaffordable = pages.filter((page) => !credits.has(page.captureId));
    if (unaffordable.length > 0 && !order.isReoffer) await deps.frontier.putBack(run.id, unaffordable);
    const affordable = pages.filter((page) => credits.has(page.captureId));
    const earlier = run.earlierNo === undefined ? undefined : await findEarlierOf(deps, run, affordable);
    const home = keyOfSeed(run);
    const repeatedBlocks = affordable.length === 0 ? Buffer.alloc(0) : await deps.repeatedBlocks(run);
    for (const [workId, group] of Map.groupBy(affordable, (page) => page.workId)) {
      const item = {
        runId: run.id,
        workspaceId: run.workspaceId,
        options: run.options,
        host: group[0]?.host ?? '',
        concurrency: run.scope.concurrency,
        delayMs: run.scope.delayMs,
        pauses: group[0]?.pauses ?? 0,
        repeatedBlocks,
        pages: group.map(({ captureId, url, key, isRepeated }) => ({
          captureId,
          url,
          credits: credits.get(captureId) ?? 0,
          earlier: earlier?.get(url),
          isHome: home?.equals(key) ?? false,
          isRepeated: order.isReoffer || isRepeated,
        })),
      };
      await offerUntilAccepted(deps, workId, () => deps.bus.offer(work.page, workId, item), order.hasLease);
    }
    return { offered: affordable.length, unaffordable: unaffordable.length };
  };
}

async function findEarlierOf({ findEarlier, log }: DispatchDeps, run: Run, pages: readonly ClaimedPage[]) {
  try {
    return await findEarlier(
      run,
      pages.map(({ url }) => url),
    );
  } catch (error) {
    log.warn({ err: error, run: run.id }, 'lookup of earlier pages failed, pages are fetched in full');
    return undefined;
  }
}

/** Retries while the bus is unavailable and the lease is held; the work id deduplicates. */
async function offerUntilAccepted(
  { log }: DispatchDeps,
  workId: string,
  offer: () => Promise<void>,
  hasLease: () => boolean,
): Promise<void> {
  for (;;) {
    try {
      return await offer();
    } catch (error) {
      if (!hasLease()) return;
      log.warn({ err: error, work: workId }, 'work offer failed, will retry');
      await sleep(RETRY_MS);
    }
  }
}
