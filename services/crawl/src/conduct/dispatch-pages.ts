import { work } from '@tidemark/contracts';
import type { PageRow } from '@tidemark/contracts/page/v1/page';
import type { Bus, Logger } from '@tidemark/service';
import { keyOfSeed } from '../domain/page-address.ts';
import type { ClaimedPage, Run } from '../domain/run.ts';
import type { FrontierStore } from '../store/frontier-store.ts';
import type { CreditWishes } from './lease-credits.ts';

const RETRY_MS = 500;

export interface DispatchDeps {
  readonly frontier: FrontierStore;
  readonly bus: Pick<Bus, 'offer'>;
  readonly leaseCredits: (wishes: CreditWishes) => Promise<ReadonlyMap<string, number>>;
  readonly price: (run: Run) => { readonly maxCredits: number; readonly minCredits: number };
  /** Earlier readings of these addresses, by address. */
  readonly findEarlier: (run: Run, urls: readonly string[]) => Promise<ReadonlyMap<string, PageRow>>;
  readonly log: Logger;
}

export interface DispatchOrder {
  readonly isOurs: () => boolean;
  /** Whether the pages may have been offered before: what can't be paid for then is left as it is. */
  readonly isAgain: boolean;
}

/** How dispatching went: `poor` are the pages that could not be paid for and wait again. */
export interface Dispatched {
  readonly offered: number;
  readonly poor: number;
}

/**
 * Sets credits aside for claimed pages and offers them, host by host. Offering the same piece twice under one name offers it once,
 * so that a conductor that takes over can offer again what the one before it may not have got out.
 */
export function makeDispatchPages(deps: DispatchDeps) {
  return async (run: Run, pages: readonly ClaimedPage[], order: DispatchOrder): Promise<Dispatched> => {
    const { maxCredits, minCredits } = deps.price(run);
    const captureIds = pages.map((page) => page.captureId);
    const credits = await deps
      .leaseCredits({ workspaceId: run.workspaceId, captureIds, maxCredits, minCredits })
      .catch(async (error) => {
        if (!order.isAgain) await deps.frontier.putBack(run.id, pages);
        throw error;
      });
    const poor = pages.filter((page) => !credits.has(page.captureId));
    if (poor.length > 0 && !order.isAgain) await deps.frontier.putBack(run.id, poor);
    const rich = pages.filter((page) => credits.has(page.captureId));
    const earlier = run.earlierNo === undefined ? undefined : await earlierOf(deps, run, rich);
    const home = keyOfSeed(run);
    for (const [workId, group] of Map.groupBy(rich, (page) => page.workId)) {
      const piece = {
        runId: run.id,
        workspaceId: run.workspaceId,
        options: run.options,
        host: group[0]?.host ?? '',
        concurrency: run.scope.concurrency,
        delayMs: run.scope.delayMs,
        pages: group.map(({ captureId, url, key, attempts }) => ({
          captureId,
          url,
          credits: credits.get(captureId) ?? 0,
          earlier: earlier?.get(url),
          isHome: home?.equals(key) ?? false,
          isRepeated: order.isAgain || attempts > 1,
        })),
      };
      await offerUntilTaken(deps, workId, () => deps.bus.offer(work.page, workId, piece), order.isOurs);
    }
    return { offered: rich.length, poor: poor.length };
  };
}

async function earlierOf({ findEarlier, log }: DispatchDeps, run: Run, pages: readonly ClaimedPage[]) {
  try {
    return await findEarlier(
      run,
      pages.map(({ url }) => url),
    );
  } catch (error) {
    log.warn({ err: error, run: run.id }, 'the archive could not be asked for earlier pages; they are fetched whole');
    return undefined;
  }
}

/** The bus may be away for a while: the same piece goes under the same name, as long as the run is ours. */
async function offerUntilTaken(
  { log }: DispatchDeps,
  workId: string,
  offer: () => Promise<void>,
  isOurs: () => boolean,
): Promise<void> {
  for (;;) {
    try {
      return await offer();
    } catch (error) {
      if (!isOurs()) return;
      log.warn({ err: error, work: workId }, 'work could not be offered; trying again');
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
