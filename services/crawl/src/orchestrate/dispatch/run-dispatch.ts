import { inFlightBounds, isSupplied } from '../../domain/run/in-flight-bounds.ts';
import type { ClaimedPage, Run } from '../../domain/run/run.ts';
import type { FrontierStore, RunNow } from '../../store/frontier/frontier-store.ts';
import type { CallOff } from '../end/call-off.ts';
import type { Dispatched, DispatchOrder } from './dispatch-pages.ts';
import { WithdrawPages, type WithdrawPagesDeps } from './withdraw-pages.ts';

const CLAIM_BATCH = 64;
const REQUEUE_LOST_EVERY_MS = 5_000;

export interface RunDispatchDeps extends WithdrawPagesDeps {
  readonly frontier: FrontierStore;
  readonly dispatch: (run: Run, pages: readonly ClaimedPage[], order: DispatchOrder) => Promise<Dispatched>;
  readonly callOff: Pick<CallOff, 'stoppingRun' | 'dropWork' | 'pausedRun'>;
}

/** One batch of a run that was claimed and dispatched. */
export interface DispatchedBatch {
  /** The run's counters after the claim. */
  readonly now: RunNow;
  /** Pages put back because the workspace has too few credits. */
  readonly unaffordable: number;
  /** Milliseconds since credits ran out; undefined while pages can be paid for or are in flight. */
  readonly outOfCreditsForMs: number | undefined;
  /** The batch was as large as allowed: more pages may be queued. */
  readonly isFull: boolean;
  /** Enough pages are in flight for a while. */
  readonly isSupplied: boolean;
}

/** Dispatches the queued pages of one run, and offers pages again whose work message may be lost. */
export class RunDispatch {
  readonly #deps: RunDispatchDeps;
  readonly #hasLease: () => boolean;
  readonly #withdrawal: WithdrawPages;
  #reofferSeconds = 0;
  #requeuedLostAt = 0;
  #outOfCreditsSince: number | undefined;

  constructor(deps: RunDispatchDeps, hasLease: () => boolean) {
    this.#deps = deps;
    this.#hasLease = hasLease;
    this.#withdrawal = new WithdrawPages(deps);
  }

  /** Has the next batch offer the pages again that were claimed within the last `claimedWithinSeconds`. */
  requestReoffer(claimedWithinSeconds: number): void {
    this.#reofferSeconds = Math.max(this.#reofferSeconds, claimedWithinSeconds);
  }

  /** Offers pages in flight again that were claimed recently and that no worker holds. Work ids prevent duplicate deliveries. */
  async reoffer(run: Run, claimedWithinSeconds: number): Promise<void> {
    const inFlight = await this.#deps.frontier.inFlight(run.id, claimedWithinSeconds);
    if (inFlight.length === 0) return;
    await this.#deps.dispatch(run, inFlight, { hasLease: this.#hasLease, isReoffer: true });
  }

  /** Requeues lost pages, re-offers on request, then claims and offers the next batch. @returns undefined if the lease is lost or the run ended */
  async next(run: Run): Promise<DispatchedBatch | undefined> {
    const { frontier, dispatch, callOff } = this.#deps;
    if (performance.now() - this.#requeuedLostAt > REQUEUE_LOST_EVERY_MS) {
      this.#requeuedLostAt = performance.now();
      await frontier.requeueLost(run.id);
    }
    await this.#reofferRequested(run);
    const bounds = inFlightBounds(run.scope);
    const limit = CLAIM_BATCH;
    const claim = await frontier.claim(run.id, limit, bounds);
    if (claim === undefined) return undefined;
    const { paused, isReturning, inFlight } = claim.run;
    if (isReturning || (paused && inFlight > 0)) await this.#withdrawal.advance(run.id, claim.run);
    if (claim.run.stop !== null && claim.run.inFlight > 0) await callOff.stoppingRun(run.id);
    const { unaffordable, offered } =
      claim.pages.length === 0
        ? { unaffordable: 0, offered: 0 }
        : await dispatch(run, claim.pages, { hasLease: this.#hasLease, isReoffer: false });
    const outOfCreditsForMs = this.#outOfCreditsForMs(unaffordable, claim.run.inFlight > unaffordable);
    const isChanging = paused || isReturning || claim.run.stop !== null;
    return {
      now: claim.run,
      unaffordable,
      outOfCreditsForMs,
      isFull: offered === limit,
      isSupplied: !isChanging && isSupplied(bounds, inFlight - unaffordable),
    };
  }

  /** A request that arrives meanwhile is kept for the next batch; a failed one is restored. */
  async #reofferRequested(run: Run): Promise<void> {
    const claimedWithinSeconds = this.#reofferSeconds;
    if (claimedWithinSeconds === 0) return;
    this.#reofferSeconds = 0;
    try {
      await this.reoffer(run, claimedWithinSeconds);
    } catch (error) {
      this.requestReoffer(claimedWithinSeconds);
      throw error;
    }
  }

  #outOfCreditsForMs(unaffordable: number, isMoving: boolean): number | undefined {
    if (unaffordable === 0 || isMoving) this.#outOfCreditsSince = undefined;
    else this.#outOfCreditsSince ??= performance.now();
    return this.#outOfCreditsSince === undefined ? undefined : performance.now() - this.#outOfCreditsSince;
  }
}
