import { type Logger, redMetrics } from '@tidemark/service';
import type { Claimed, Room } from '../store/claims.ts';
import type { AttemptEnd } from '../store/ends.ts';
import { Lanes } from './lanes.ts';
import { ATTEMPT_WALL_MS } from './make-attempt.ts';
import { isTaken } from './retry-clock.ts';

export interface DispatcherDeps {
  readonly claims: {
    dueLanes(now: Date): Promise<readonly string[]>;
    claim(rooms: readonly Room[], now: Date): Promise<readonly Claimed[]>;
    claimOne(id: string, now: Date): Promise<Claimed | undefined>;
  };
  /** Makes one attempt; never rejects for what the receiver does. */
  readonly attempt: (claimed: Claimed) => Promise<AttemptEnd>;
  /** Resolves once it is written. */
  readonly writeEnd: (end: AttemptEnd) => Promise<unknown>;
  readonly now: () => Date;
  readonly log: Logger;
  /** How often deliveries are looked for that are due again, or whose sender has died. */
  readonly lookEveryMs: number;
  readonly lanes?: Lanes;
}

/** Deliveries that somebody waits for and that go beside their lanes. */
const MOST_HURRIED = 16;
/** A look that took long is followed by a pause so many times as long. */
const PAUSE_FACTOR = 10;
/** After a claim that failed: the database is away. */
const AWAY_MS = 500;
/** Of the nine seconds a process has for its end, those that are not needed for closing the rest. */
const STOPS_WITHIN_MS = 7_000;
/** Longest the end of a process waits for what is on its way. What takes longer is sent again under its id once its claim is over. */
const CLOSE_MS = Math.min(ATTEMPT_WALL_MS, STOPS_WITHIN_MS);

const observe = redMetrics('delivery_attempt');

/** Sends what is due: one in every process, all on the same rows. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #lanes: Lanes;
  readonly #onTheWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #claiming: Promise<void> | undefined;
  #hurried = 0;
  #isClosing = false;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#lanes = deps.lanes ?? new Lanes();
    this.#lookIn(0);
  }

  get inFlight(): number {
    return this.#lanes.inFlight;
  }

  /** These lanes may have something to send. */
  wake(lanes: readonly string[]): void {
    this.#lanes.ripen(lanes);
    this.#pump();
  }

  /** Sends one now, beside its lane; where too many hurry, it takes its turn. */
  async sendNow(id: string, lane: string): Promise<void> {
    if (this.#hurried >= MOST_HURRIED || this.#isClosing) return this.wake([lane]);
    this.#hurried += 1;
    try {
      const claimed = await this.#deps.claims.claimOne(id, this.#deps.now());
      if (claimed === undefined) return;
      this.#lanes.begin(claimed.lane);
      await this.#track(this.#send(claimed));
    } finally {
      this.#hurried -= 1;
    }
  }

  /** Looks for lanes that have something due. */
  async look(): Promise<void> {
    this.#lanes.ripen(await this.#deps.claims.dueLanes(this.#deps.now()));
    this.#pump();
  }

  #lookIn(ms: number): void {
    this.#timer = setTimeout(async () => {
      const beganAt = performance.now();
      await this.look().catch((err: unknown) => this.#deps.log.warn({ err }, 'due deliveries could not be looked for'));
      const tookMs = performance.now() - beganAt;
      if (!this.#isClosing) this.#lookIn(Math.max(this.#deps.lookEveryMs, tookMs * PAUSE_FACTOR));
    }, ms);
  }

  /** Claims, unless a claim is under way: what has come meanwhile is claimed together after it. */
  #pump(): void {
    if (this.#isClosing || this.#claiming !== undefined) return;
    const rooms = this.#lanes.takeRooms();
    if (rooms.length === 0) return;
    this.#claiming = this.#claim(rooms).finally(() => {
      this.#claiming = undefined;
      this.#pump();
    });
  }

  async #claim(rooms: readonly Room[]): Promise<void> {
    try {
      const claimed = await this.#deps.claims.claim(rooms, this.#deps.now());
      this.#lanes.claimed(
        rooms,
        claimed.map(({ lane }) => lane),
      );
      for (const one of claimed) void this.#track(this.#send(one));
    } catch (err) {
      this.#deps.log.warn({ err }, 'deliveries could not be claimed; trying again');
      await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
      this.#lanes.ripen(rooms.map(({ lane }) => lane));
    }
  }

  #track(sending: Promise<void>): Promise<void> {
    this.#onTheWay.add(sending);
    return sending.finally(() => this.#onTheWay.delete(sending));
  }

  /** A place is free again once the end is written, so that a slow database is never outrun. */
  async #send(claimed: Claimed): Promise<void> {
    let taken: boolean | undefined;
    const startedAtMs = performance.now();
    try {
      const end = await this.#deps.attempt(claimed);
      observe({ service: 'delivery', name: claimed.kind, outcome: end.move.status }, startedAtMs);
      taken = isTaken(end.outcome);
      await this.#deps.writeEnd(end);
    } catch (err) {
      this.#deps.log.error({ err, delivery: claimed.id }, 'an attempt came to no end; its claim runs out');
    } finally {
      this.#lanes.end(claimed.lane, taken);
      this.#pump();
    }
  }

  /** Begins nothing more, and waits for what is on its way. */
  async close(): Promise<void> {
    this.#isClosing = true;
    clearTimeout(this.#timer);
    const all = Promise.allSettled([this.#claiming, ...this.#onTheWay]).then(() => Promise.allSettled(this.#onTheWay));
    await Promise.race([all, new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]);
  }
}
