import { type Caller, newId } from '@tidemark/contracts';
import { CrawlServiceService as Rpc } from '@tidemark/contracts/crawl/v1/crawl';
import { inPieces, type Logger, type Peer } from '@tidemark/service';
import { eachOf } from '../each-of.ts';
import type { Expiring, ExpiryStore } from './expiry-store.ts';

const DAY_MS = 86_400_000;
/** Projects claimed at once: done well before the claim runs out. */
const CLAIMED_AT_ONCE = 40;
const EXPIRED_AT_ONCE = 4;
const EXPIRE_WITHIN_MS = 9_000;

export interface RunExpirerDeps {
  readonly expiries: ExpiryStore;
  readonly crawl: Peer;
  readonly now: () => Date;
  readonly log: Logger;
}

/** Has crawl discard the runs of projects that ended before their retention. Any number of processes may look at once. */
export class RunExpirer {
  readonly #deps: RunExpirerDeps;

  constructor(deps: RunExpirerDeps) {
    this.#deps = deps;
  }

  /** All projects whose turn it is, as many as there is time for. */
  round(goesOn: () => boolean): Promise<boolean> {
    return inPieces(async () => {
      const claimed = await this.#deps.expiries.claim(CLAIMED_AT_ONCE);
      if (claimed.length > 0) await this.#expireAll(claimed);
      return claimed.length > 0;
    }, goesOn);
  }

  async #expireAll(claimed: readonly Expiring[]): Promise<void> {
    const outcomes = await eachOf(claimed, EXPIRED_AT_ONCE, (project) => this.#expire(project));
    const of = (wanted: boolean) =>
      claimed.filter((_, place) => outcomes[place] === wanted).map((one) => one.projectId);
    await this.#deps.expiries.settle(of(true), of(false));
  }

  async #expire({ projectId, workspaceId, retentionDays }: Expiring): Promise<boolean> {
    const { crawl, now, log } = this.#deps;
    const caller: Caller = { workspaceId, keyId: '', scope: 'write', projects: [] };
    const before = new Date(now().getTime() - retentionDays * DAY_MS);
    const call = { caller, requestId: newId('req') };
    try {
      await crawl.call(Rpc.expireRuns, { projectId, before }, call, { deadlineMs: EXPIRE_WITHIN_MS });
      return true;
    } catch (error) {
      log.warn({ err: error, project: projectId }, 'old runs of a project stay a while longer');
      return false;
    }
  }
}
