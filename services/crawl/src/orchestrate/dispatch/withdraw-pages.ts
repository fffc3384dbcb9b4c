import type { RunNow } from '../../store/frontier/frontier-store.ts';
import type { WithdrawnStore } from '../../store/frontier/withdrawn-store.ts';
import type { CallOff } from '../end/call-off.ts';

/** Interval of the message that a run is paused, ms: it may be lost, and each of its reports shows which pages are still fetched. */
const REPEAT_EVERY_MS = 500;
/** Time workers have to report the pages they fetch, ms. */
const REPORT_WITHIN_MS = 1_000;

export interface WithdrawPagesDeps {
  readonly withdrawn: Pick<WithdrawnStore, 'returnUnheld'>;
  readonly callOff: Pick<CallOff, 'dropWork' | 'pausedRun'>;
}

type PausedRun = Pick<RunNow, 'pauses' | 'inFlight'>;

/** Withdraws the pages of one paused run whose fetch has not begun: drops its queued work, has workers return pages, and queues them again. */
export class WithdrawPages {
  readonly #deps: WithdrawPagesDeps;
  /** The pause in progress, and when it was first and last sent. */
  #pauses = 0;
  #firstAtMs = 0;
  #lastAtMs = 0;

  constructor(deps: WithdrawPagesDeps) {
    this.#deps = deps;
  }

  /** Performs the next step. Called while the run is paused with pages in flight, or until its withdrawn pages are queued again. */
  async advance(runId: string, { pauses, inFlight }: PausedRun): Promise<void> {
    const nowMs = performance.now();
    if (pauses !== this.#pauses) {
      await this.#deps.callOff.dropWork(runId);
      this.#pauses = pauses;
      this.#firstAtMs = nowMs;
    } else if (nowMs - this.#lastAtMs < REPEAT_EVERY_MS) return;
    this.#lastAtMs = nowMs;
    if (inFlight === 0 || nowMs - this.#firstAtMs >= REPORT_WITHIN_MS)
      await this.#deps.withdrawn.returnUnheld(runId, pauses);
    this.#deps.callOff.pausedRun(runId, pauses);
  }
}
