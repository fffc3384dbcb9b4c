import { FAILURES_IN_A_ROW } from '../domain/retry-schedule.ts';
import type { ClaimQuota } from '../store/claims.ts';

/** In flight at once: in all, in a lane, and in the lanes that fail together. */
export interface QueueLimits {
  readonly all: number;
  readonly perQueue: number;
  readonly failing: number;
}

export const QUEUE_LIMITS: QueueLimits = { all: 200, perQueue: 8, failing: 50 };

/** Lanes whose failures are remembered while nothing of them is in flight. */
const MAX_REMEMBERED = 10_000;
/** Lanes of one claim. */
const MAX_QUEUES_PER_CLAIM = 100;

/**
 * Who may send how much, so that a receiver that is dead or slow delays nobody: a lane has eight places, one while it fails; failing lanes
 * have fifty together; and the second half of all places is for lanes that have nothing on its way.
 */
export class ReceiverQueues {
  readonly #limits: QueueLimits;
  /** Lanes that may have something due, in the order of their turns. */
  readonly #ready = new Set<string>();
  readonly #inFlight = new Map<string, number>();
  /** Failed attempts in a row, of lanes that had any. */
  readonly #failures = new Map<string, number>();
  #all = 0;
  #failing = 0;

  constructor(limits: QueueLimits = QUEUE_LIMITS) {
    this.#limits = limits;
  }

  get inFlight(): number {
    return this.#all;
  }

  /** Lanes that may have something due. */
  markReady(queueKeys: Iterable<string>): void {
    for (const queueKey of queueKeys) this.#ready.add(queueKey);
  }

  /** What may be claimed now. The lanes have had their turn: they are ripe again by what `claimed` says. */
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

  /** So many of each lane were claimed. One that used all its room may have more. */
  claimed(quotas: readonly ClaimQuota[], claimedKeys: readonly string[]): void {
    const counts = new Map<string, number>();
    for (const queueKey of claimedKeys) counts.set(queueKey, (counts.get(queueKey) ?? 0) + 1);
    for (const { queueKey, slots } of quotas) if ((counts.get(queueKey) ?? 0) >= slots) this.#ready.add(queueKey);
    for (const queueKey of claimedKeys) this.begin(queueKey);
  }

  /** One of the lane is on its way. */
  begin(queueKey: string): void {
    const before = this.#inFlight.get(queueKey) ?? 0;
    this.#inFlight.set(queueKey, before + 1);
    this.#all += 1;
    if (this.#isFailing(queueKey)) this.#failing += 1;
  }

  /** One of the lane came back; undefined: nothing is known of how it went. */
  end(queueKey: string, isAccepted: boolean | undefined): void {
    const left = (this.#inFlight.get(queueKey) ?? 1) - 1;
    const wasFailing = this.#isFailing(queueKey);
    this.#all -= 1;
    if (left === 0) this.#inFlight.delete(queueKey);
    else this.#inFlight.set(queueKey, left);
    if (isAccepted === true) this.#failures.delete(queueKey);
    else if (isAccepted === false) this.#countFailure(queueKey);
    // Counted over for all that are still out: a lane may begin or cease to fail while several are.
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
