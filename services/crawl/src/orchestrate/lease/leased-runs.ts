import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@tidemark/service';
import type { LeaseStore } from '../../store/leases/lease-store.ts';

const RENEW_EVERY_MS = 1_500;
const CLAIM_EVERY_MS = 500;
const CHECK_STREAM_EVERY_MS = 3_000;
/** Time workers have to report the pages they hold; a worker that reconnects later may fetch a page twice. */
const REPORT_WITHIN_MS = 1_000;

/** Drives one run while its lease is held. */
export interface Orchestrator {
  /** Resolves when the run has ended, is paused with no page in flight, or its lease is lost. Never rejects. */
  orchestrate(): Promise<void>;
  /** Processes a change of the run without waiting for the next poll. */
  wake(): void;
  /** Offers every page in flight again that no worker holds. */
  reoffer(): void;
  /** Stops: the lease is lost or about to be released. */
  stop(): void;
}

export interface LeasedRunsDeps {
  readonly leases: LeaseStore;
  readonly orchestratorOf: (runId: string) => Orchestrator;
  /** Returns when the work stream was created. */
  readonly workStreamCreatedAt: () => Promise<string>;
  /** Requests a report of the run's pages that workers hold: those are not offered again. */
  readonly requestPages: (runId: string) => void;
  /** Runs orchestrated at once by this instance. */
  readonly maxRuns: number;
  readonly log: Logger;
}

/** Claims runs whose lease is free, renews the leases this instance holds, and stops orchestrators whose lease is lost. */
export class LeasedRuns {
  readonly #deps: LeasedRunsDeps;
  readonly #held = new Map<string, Orchestrator>();
  readonly #timers: readonly NodeJS.Timeout[];
  #claiming: Promise<void> | undefined;
  #isClosing = false;
  #workStreamCreatedAt: string | undefined;

  constructor(deps: LeasedRunsDeps) {
    this.#deps = deps;
    this.#timers = [
      setInterval(() => void this.#renew(), RENEW_EVERY_MS),
      setInterval(() => void this.claim(), CLAIM_EVERY_MS),
      setInterval(() => void this.#checkWorkStream(), CHECK_STREAM_EVERY_MS),
    ];
  }

  /** Wakes the orchestrator of a run, if this instance holds its lease. */
  wake(runId: string): void {
    this.#held.get(runId)?.wake();
  }

  /** Claims runs whose lease is free, up to the capacity of this instance. */
  async claim(): Promise<void> {
    if (this.#claiming !== undefined || this.#isClosing) return;
    this.#claiming = this.#claim();
    await this.#claiming;
    this.#claiming = undefined;
  }

  async #claim(): Promise<void> {
    try {
      const claimed = await this.#deps.leases.claim(this.#deps.maxRuns - this.#held.size);
      for (const id of claimed) this.#start(id);
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'claim of runs failed, will retry');
    }
  }

  #start(id: string): void {
    this.#held.get(id)?.stop();
    const orchestrator = this.#deps.orchestratorOf(id);
    this.#held.set(id, orchestrator);
    void orchestrator.orchestrate().finally(() => {
      if (this.#held.get(id) === orchestrator) this.#held.delete(id);
    });
  }

  /** Re-offers pages after the work stream was recreated: its messages are lost, and pages no worker holds would wait for their timeout. */
  async #checkWorkStream(): Promise<void> {
    try {
      const createdAt = await this.#deps.workStreamCreatedAt();
      const wasRecreated = this.#workStreamCreatedAt !== undefined && this.#workStreamCreatedAt !== createdAt;
      this.#workStreamCreatedAt = createdAt;
      if (!wasRecreated) return;
      this.#deps.log.warn('work stream was recreated, pages in flight are offered again');
      for (const runId of this.#held.keys()) this.#deps.requestPages(runId);
      await sleep(REPORT_WITHIN_MS);
      for (const orchestrator of this.#held.values()) orchestrator.reoffer();
    } catch (error) {
      this.#deps.log.debug({ err: error }, 'check of the work stream failed, will retry');
    }
  }

  async #renew(): Promise<void> {
    const ids = [...this.#held.keys()];
    if (ids.length === 0) return;
    try {
      const renewed = await this.#deps.leases.renew(ids);
      for (const id of ids) if (!renewed.has(id)) this.#held.get(id)?.stop();
    } catch (error) {
      this.#deps.log.warn({ err: error }, 'renewal of run leases failed, will retry');
    }
  }

  /** Stops every orchestrator and releases the leases, so that other instances can claim the runs at once. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const timer of this.#timers) clearInterval(timer);
    // A claim in progress is committed, and would hold its runs until the lease expires.
    await this.#claiming;
    const ids = [...this.#held.keys()];
    for (const orchestrator of this.#held.values()) orchestrator.stop();
    if (ids.length > 0) await this.#deps.leases.release(ids).catch(() => undefined);
  }
}
