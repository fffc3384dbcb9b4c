/** A claim whose work runs in this process. */
export interface HeldLease {
  /** Renews the lease. @returns false if another claim holds the row, or it has ended */
  readonly renew: () => Promise<boolean>;
  /** Must be well below the lease. */
  readonly everyMs: number;
  /** Returns the row to the queue at once; the attempt is not counted. */
  readonly release: () => Promise<unknown>;
}

/** The claims whose work runs in this process: their leases are renewed, and released at shutdown. */
export class HeldLeases {
  readonly #held = new Map<HeldLease, AbortController>();

  /**
   * Does the work of a claim and renews its lease meanwhile. The signal is aborted when the lease is lost, and at shutdown; a late result is
   * discarded by the fence of its statement. A failed renewal is repeated at the next interval.
   */
  async hold<Result>(lease: HeldLease, work: (lost: AbortSignal) => Promise<Result>): Promise<Result> {
    const lost = new AbortController();
    this.#held.set(lease, lost);
    const timer = setInterval(async () => {
      const isHeld = await lease.renew().catch(() => true);
      if (!isHeld) lost.abort(new Error('the lease was lost to another claim'));
    }, lease.everyMs);
    try {
      return await work(lost.signal);
    } finally {
      clearInterval(timer);
      this.#held.delete(lease);
    }
  }

  /**
   * Releases the claims whose work still runs, so that another process continues at once and no interruption is counted. A claim that can
   * not be released is claimed again when its lease expires.
   */
  async drain(): Promise<void> {
    const held = [...this.#held];
    for (const [, lost] of held) lost.abort(new Error('the process is shutting down'));
    await Promise.allSettled(held.map(([{ release }]) => release()));
  }
}
