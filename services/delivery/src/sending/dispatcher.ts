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
  };
  /** Makes one attempt; never rejects for what the receiver does. */
  readonly attempt: (claimed: Claimed) => Promise<FinishedAttempt>;
  /** Resolves once it is written. */
  readonly writeAttempt: (end: FinishedAttempt) => Promise<unknown>;
  readonly now: () => Date;
  readonly log: Logger;
  /** How often deliveries are looked for that are due again, or whose sender has died. */
  readonly pollIntervalMs: number;
  readonly queues?: ReceiverQueues;
}

/** Deliveries that somebody waits for and that go beside their lanes. */
const MAX_URGENT = 16;
/** A look that took long is followed by a pause so many times as long. */
const PAUSE_FACTOR = 10;
/** After a claim that failed: the database is away. */
const DATABASE_RETRY_MS = 500;
/** Of the nine seconds a process has for its end, those that are not needed for closing the rest. */
const SHUTDOWN_BUDGET_MS = 7_000;
/** Longest the end of a process waits for what is on its way. What takes longer is sent again under its id once its claim is over. */
const CLOSE_MS = Math.min(ATTEMPT_WALL_MS, SHUTDOWN_BUDGET_MS);

const observe = redMetrics('delivery_attempt');

/** Sends what is due: one in every process, all on the same rows. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #queues: ReceiverQueues;
  readonly #inProgress = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #urgent = 0;
  #isClosing = false;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#queues = deps.queues ?? new ReceiverQueues();
    this.#schedulePoll(0);
  }

  get inFlight(): number {
    return this.#queues.inFlight;
  }

  /** These lanes may have something to send. */
  wake(queueKeys: readonly string[]): void {
    this.#queues.markReady(queueKeys);
    this.#pump();
  }

  /** Sends one now, beside its lane; where too many hurry, it takes its turn. */
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

  /** Looks for lanes that have something due. */
  async poll(): Promise<void> {
    this.#queues.markReady(await this.#deps.claims.dueQueues(this.#deps.now()));
    this.#pump();
  }

  #schedulePoll(ms: number): void {
    this.#timer = setTimeout(async () => {
      const beganAt = performance.now();
      await this.poll().catch((err: unknown) => this.#deps.log.warn({ err }, 'due deliveries could not be looked for'));
      const tookMs = performance.now() - beganAt;
      if (!this.#isClosing) this.#schedulePoll(Math.max(this.#deps.pollIntervalMs, tookMs * PAUSE_FACTOR));
    }, ms);
  }

  /** Claims, unless a claim is under way: what has come meanwhile is claimed together after it. */
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
      this.#deps.log.warn({ err }, 'deliveries could not be claimed; trying again');
      await new Promise((resolve) => setTimeout(resolve, DATABASE_RETRY_MS));
      this.#queues.markReady(quotas.map(({ queueKey }) => queueKey));
    }
  }

  #track(sending: Promise<void>): Promise<void> {
    this.#inProgress.add(sending);
    return sending.finally(() => this.#inProgress.delete(sending));
  }

  /** A place is free again once the end is written, so that a slow database is never outrun. */
  async #send(claimed: Claimed): Promise<void> {
    let wasAccepted: boolean | undefined;
    const startedAtMs = performance.now();
    try {
      const end = await this.#deps.attempt(claimed);
      observe({ service: 'delivery', name: claimed.kind, outcome: end.transition.status }, startedAtMs);
      wasAccepted = isAccepted(end.result);
      await this.#deps.writeAttempt(end);
    } catch (err) {
      this.#deps.log.error({ err, delivery: claimed.id }, 'an attempt came to no end; its claim runs out');
    } finally {
      this.#queues.end(claimed.queueKey, wasAccepted);
      this.#pump();
    }
  }

  /** Begins nothing more, and waits for what is on its way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    const all = Promise.allSettled([this.#claiming, ...this.#inProgress]).then(() =>
      Promise.allSettled(this.#inProgress),
    );
    await Promise.race([all, new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]);
  }
}
