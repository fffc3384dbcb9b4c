import { FAILURES_IN_A_ROW } from '../domain/retry-schedule.ts';
import type { ClaimQuota } from '../store/claims.ts';

/** Attempts in flight at most: in all, per receiver queue, and in all failing queues together. */
export interface QueueLimits {
  readonly all: number;
  readonly perQueue: number;
  readonly failing: number;
}

export const QUEUE_LIMITS: QueueLimits = { all: 200, perQueue: 8, failing: 50 };

/** Idle queues whose failure counts are kept. */
const MAX_REMEMBERED = 10_000;
/** Queues per claim. */
const MAX_QUEUES_PER_CLAIM = 100;

/**
 * Limits the attempts in flight per receiver queue, so that an unresponsive receiver delays no other: a queue has eight slots, one while it
 * fails; failing queues share fifty; and the second half of all slots is for queues with nothing in flight.
 */
export class ReceiverQueues {
  readonly #limits: QueueLimits;
  /** Queues that may have something due, in round-robin order. */
  readonly #ready = new Set<string>();
  readonly #inFlight = new Map<string, number>();
  /** Consecutive failed attempts per queue. No LRU cache: a queue with attempts in flight must not be evicted. */
  readonly #failures = new Map<string, number>();
  #all = 0;
  #failing = 0;

  constructor(limits: QueueLimits = QUEUE_LIMITS) {
    this.#limits = limits;
  }

  get inFlight(): number {
    return this.#all;
  }

  /** Marks queues that may have something due. */
  markReady(queueKeys: Iterable<string>): void {
    for (const queueKey of queueKeys) this.#ready.add(queueKey);
  }

  /** Returns how much may be claimed per queue now. The queues become ready again through `claimed`. */
  takeQuotas(): readonly ClaimQuota[] {
    const quotas: ClaimQuota[] = [];
    let left = this.#limits.all - this.#all;
    let failingLeft = this.#limits.failing - this.#failing;
    for (const queueKey of this.#ready) {
      if (left <= 0 || quotas.length === MAX_QUEUES_PER_CLAIM) break;
      const isFailing = this.#isFailing(queueKey);
      const slots = Math.min(
        this.#freeSlotsOf(queueKey, isFailing || left < this.#limits.all / 2),
        left,
        isFailing ? failingLeft : left,
      );
      if (slots <= 0) continue;
      quotas.push({ queueKey, slots });
      left -= slots;
      if (isFailing) failingLeft -= slots;
    }
    for (const { queueKey } of quotas) this.#ready.delete(queueKey);
    return quotas;
  }

  #freeSlotsOf(queueKey: string, isLimited: boolean): number {
    return (isLimited ? 1 : this.#limits.perQueue) - (this.#inFlight.get(queueKey) ?? 0);
  }

  #isFailing(queueKey: string): boolean {
    return (this.#failures.get(queueKey) ?? 0) >= FAILURES_IN_A_ROW;
  }

  /** Records the claimed deliveries. A queue that used its whole quota may have more and stays ready. */
  claimed(quotas: readonly ClaimQuota[], claimedKeys: readonly string[]): void {
    const counts = new Map<string, number>();
    for (const queueKey of claimedKeys) counts.set(queueKey, (counts.get(queueKey) ?? 0) + 1);
    for (const { queueKey, slots } of quotas) if ((counts.get(queueKey) ?? 0) >= slots) this.#ready.add(queueKey);
    for (const queueKey of claimedKeys) this.begin(queueKey);
  }

  /** Records the start of an attempt. */
  begin(queueKey: string): void {
    const before = this.#inFlight.get(queueKey) ?? 0;
    this.#inFlight.set(queueKey, before + 1);
    this.#all += 1;
    if (this.#isFailing(queueKey)) this.#failing += 1;
  }

  /** Records the end of an attempt; `isAccepted` is undefined where the result is unknown. */
  end(queueKey: string, isAccepted: boolean | undefined): void {
    const left = (this.#inFlight.get(queueKey) ?? 1) - 1;
    const wasFailing = this.#isFailing(queueKey);
    this.#all -= 1;
    if (left === 0) this.#inFlight.delete(queueKey);
    else this.#inFlight.set(queueKey, left);
    if (isAccepted === true) this.#failures.delete(queueKey);
    else if (isAccepted === false) this.#countFailure(queueKey);
    // Recounted for all still in flight: a queue may start or stop failing while several attempts run.
    if (wasFailing) this.#failing -= left + 1;
    if (this.#isFailing(queueKey)) this.#failing += left;
  }

  #countFailure(queueKey: string): void {
    const failures = (this.#failures.get(queueKey) ?? 0) + 1;
    this.#failures.delete(queueKey);
    this.#failures.set(queueKey, failures);
    if (this.#failures.size <= MAX_REMEMBERED) return;
    const oldest = [...this.#failures.keys()].find((one) => !this.#inFlight.has(one));
    if (oldest !== undefined) this.#failures.delete(oldest);
  }
}
