import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, redMetrics } from '@tidemark/service';
import { isAccepted } from '../domain/retry-schedule.ts';
import type { Claimed, ClaimQuota } from '../store/claims.ts';
import type { FinishedAttempt } from '../store/finished-attempts.ts';
import { ATTEMPT_WALL_MS } from './make-attempt.ts';
import { ReceiverQueues } from './receiver-queues.ts';

export interface DispatcherDeps {
  readonly claims: {
    dueQueues(now: Date): Promise<readonly string[]>;
    claim(quotas: readonly ClaimQuota[], now: Date): Promise<readonly Claimed[]>;
    claimOne(id: string, now: Date): Promise<Claimed | undefined>;
    claimSuspect(now: Date): Promise<Claimed | undefined>;
  };
  /** Makes one attempt. Never rejects because of the receiver. */
  readonly attempt: (claimed: Claimed) => Promise<FinishedAttempt>;
  /** Resolves once the attempt is stored. */
  readonly writeAttempt: (end: FinishedAttempt) => Promise<unknown>;
  readonly now: () => Date;
  readonly log: Logger;
  /** Poll interval for deliveries that are due again or whose claim has expired, ms. */
  readonly pollIntervalMs: number;
  readonly queues?: ReceiverQueues;
}

/** Tests and redeliveries sent at once, outside their receiver queues, at most. */
const MAX_URGENT = 16;
/** The pause after a poll is at least this multiple of its duration. */
const PAUSE_FACTOR = 10;
/** Delay after a failed claim, ms: the database is unavailable. */
const DATABASE_RETRY_MS = 500;
/** Share of the nine seconds of a shutdown that is left for attempts in progress, ms. */
const SHUTDOWN_BUDGET_MS = 7_000;
/** Longest wait for attempts in progress on shutdown, ms. A slower one is repeated under its id once its claim expires. */
const CLOSE_MS = Math.min(ATTEMPT_WALL_MS, SHUTDOWN_BUDGET_MS);

const observe = redMetrics('delivery_attempt');

/** Claims and sends due deliveries. Every instance runs one on the same table. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #queues: ReceiverQueues;
  readonly #inProgress = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #urgent = 0;
  #isSendingSuspect = false;
  #isClosing = false;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#queues = deps.queues ?? new ReceiverQueues();
    this.#schedulePoll(0);
  }

  get inFlight(): number {
    return this.#queues.inFlight;
  }

  /** Starts sending from these receiver queues. */
  wake(queueKeys: readonly string[]): void {
    this.#queues.markReady(queueKeys);
    this.#pump();
  }

  /** Sends one delivery now, outside its queue; with too many in progress it waits its turn in the queue. */
  async sendNow(id: string, queueKey: string): Promise<void> {
    if (this.#urgent >= MAX_URGENT || this.#isClosing) return this.wake([queueKey]);
    this.#urgent += 1;
    try {
      const claimed = await this.#deps.claims.claimOne(id, this.#deps.now());
      if (claimed === undefined) return;
      this.#queues.begin(claimed.queueKey);
      await this.#track(this.#send(claimed));
    } finally {
      this.#urgent -= 1;
    }
  }

  /** Finds receiver queues with due deliveries and claims from them. */
  async poll(): Promise<void> {
    this.#queues.markReady(await this.#deps.claims.dueQueues(this.#deps.now()));
    this.#pump();
    await this.#sendSuspect();
  }

  /** Starts to send one delivery that may end the process, unless another such one is in progress. */
  async #sendSuspect(): Promise<void> {
    if (this.#isSendingSuspect || this.#isClosing) return;
    this.#isSendingSuspect = true;
    const claimed = await this.#deps.claims.claimSuspect(this.#deps.now()).catch((err: unknown) => {
      this.#deps.log.warn({ err }, 'claim of an interrupted delivery failed, will retry');
      return undefined;
    });
    if (claimed === undefined) {
      this.#isSendingSuspect = false;
      return;
    }
    this.#queues.begin(claimed.queueKey);
    void this.#track(this.#send(claimed)).finally(() => {
      this.#isSendingSuspect = false;
    });
  }

  #schedulePoll(ms: number): void {
    this.#timer = setTimeout(async () => {
      const beganAt = performance.now();
      await this.poll().catch((err: unknown) =>
        this.#deps.log.warn({ err }, 'poll for due deliveries failed, will retry'),
      );
      const tookMs = performance.now() - beganAt;
      if (!this.#isClosing) this.#schedulePoll(Math.max(this.#deps.pollIntervalMs, tookMs * PAUSE_FACTOR));
    }, ms);
  }

  /** Claims deliveries, unless a claim is in progress; queues that become ready meanwhile are claimed after it. */
  #pump(): void {
    if (this.#isClosing || this.#claiming !== undefined) return;
    const quotas = this.#queues.takeQuotas();
    if (quotas.length === 0) return;
    this.#claiming = this.#claim(quotas).finally(() => {
      this.#claiming = undefined;
      this.#pump();
    });
  }

  async #claim(quotas: readonly ClaimQuota[]): Promise<void> {
    try {
      const claimed = await this.#deps.claims.claim(quotas, this.#deps.now());
      this.#queues.claimed(
        quotas,
        claimed.map(({ queueKey }) => queueKey),
      );
      for (const one of claimed) void this.#track(this.#send(one));
    } catch (err) {
      this.#deps.log.warn({ err }, 'claim of due deliveries failed, will retry');
      await sleep(DATABASE_RETRY_MS);
      this.#queues.markReady(quotas.map(({ queueKey }) => queueKey));
    }
  }

  #track(sending: Promise<void>): Promise<void> {
    this.#inProgress.add(sending);
    return sending.finally(() => this.#inProgress.delete(sending));
  }

  /** Sends one delivery. Its slot is freed once the result is stored, so that a slow database limits the rate. */
  async #send(claimed: Claimed): Promise<void> {
    let wasAccepted: boolean | undefined;
    const startedAtMs = performance.now();
    try {
      const end = await this.#deps.attempt(claimed);
      observe({ service: 'delivery', name: claimed.kind, outcome: end.transition.status }, startedAtMs);
      // A failed test says nothing about the deliveries of the queue.
      wasAccepted = isAccepted(end.result) || (claimed.isTest ? undefined : false);
      await this.#deps.writeAttempt(end);
    } catch (err) {
      this.#deps.log.error(
        { err, delivery: claimed.id },
        'delivery attempt was not stored, will be repeated when its claim expires',
      );
    } finally {
      this.#queues.end(claimed.queueKey, wasAccepted);
      this.#pump();
    }
  }

  /** Claims nothing more and waits for attempts in progress. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    const all = Promise.allSettled([this.#claiming, ...this.#inProgress]).then(() =>
      Promise.allSettled(this.#inProgress),
    );
    await Promise.race([all, sleep(CLOSE_MS, undefined, { ref: false })]);
  }
}
