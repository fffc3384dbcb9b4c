import { LRUCache } from 'lru-cache';
import { type HostState, isTurn, type Pace, type PaceKeeper, type Turn, type Wait } from './pace-keeper.ts';
import type { Outcome } from './patience.ts';

/** A host is truly asked about at least this often: what others said of it meanwhile is heard then. */
const LOOK_MS = 250;
/** A turn is given back after this long: with one more capture it must not outlive what it was given for. */
const TURN_AGE_MS = 20_000;
/** How long a turn waits for somebody of this process to go on with it. */
const SPARE_MS = 4;
const HOSTS_MAX = 10_000;

/** A turn the keeper gave, and when. */
interface Given {
  readonly host: string;
  readonly paceKey: string;
  readonly isHandedOn: boolean;
  readonly turn: Turn;
  readonly atMs: number;
}

interface Host {
  /** Turns between two pages, by pace, and what gives each back if nobody comes. */
  readonly spares: Map<string, Map<Given, NodeJS.Timeout>>;
  /** When the keeper last said that the host may be asked. */
  lookedAtMs: number;
  /** Turns of this process, in use and spare. */
  turns: number;
}

/**
 * Hands the turns of one process on, from a page that has ended to the next that waits for the same host at the same pace: a look
 * at the keeper is a round trip to Redis, and a busy crawl would make two for each page. A host that is held, has failed or wants time
 * between two starts is asked about every time.
 */
export class HandingPace implements PaceKeeper {
  readonly #keeper: PaceKeeper;
  readonly #now: () => number;
  readonly #hosts = new Map<string, Host>();
  /** Hosts a fetch of ours failed at: the next answer is told, as failures are counted from one answer to the next. */
  readonly #troubled = new LRUCache<string, true>({ max: HOSTS_MAX });

  /** `now`: milliseconds from any fixed point. */
  constructor(keeper: PaceKeeper, now: () => number = () => performance.now()) {
    this.#keeper = keeper;
    this.#now = now;
  }

  async ask(name: string, pace: Pace): Promise<Turn | Wait> {
    const paceKey = `${pace.concurrency} ${pace.delayMs}`;
    const spare = this.#takeSpare(name, paceKey);
    if (spare !== undefined) return this.#turnOf(spare);
    const answer = await this.#keeper.ask(name, pace);
    if (!isTurn(answer)) {
      // Busy is no news; a reason to leave the host alone is.
      if (answer.why !== undefined) this.#distrust(name);
      return answer;
    }
    const host = this.#hosts.get(name) ?? { spares: new Map(), lookedAtMs: 0, turns: 0 };
    this.#hosts.set(name, host);
    host.turns += 1;
    host.lookedAtMs = this.#now();
    const isHandedOn = pace.delayMs === 0;
    return this.#turnOf({ host: name, paceKey, isHandedOn, turn: answer, atMs: host.lookedAtMs });
  }

  async hold(name: string, ms: number, why?: string): Promise<void> {
    this.#distrust(name);
    await this.#keeper.hold(name, ms, why);
  }

  #turnOf(given: Given): Turn {
    return {
      done: async (outcome) => {
        if (outcome !== 'answered' || !this.#isTrusted(given)) return this.#giveBack(given, outcome);
        this.#spare(given);
        return 'up';
      },
    };
  }

  #isTrusted({ host, isHandedOn, atMs }: Given): boolean {
    const nowMs = this.#now();
    const lookedAtMs = this.#hosts.get(host)?.lookedAtMs ?? Number.NEGATIVE_INFINITY;
    if (!isHandedOn || this.#troubled.has(host)) return false;
    return nowMs - lookedAtMs < LOOK_MS && nowMs - atMs < TURN_AGE_MS;
  }

  #spare(given: Given): void {
    const spares = this.#hosts.get(given.host)?.spares;
    const alike = spares?.get(given.paceKey) ?? new Map<Given, NodeJS.Timeout>();
    spares?.set(given.paceKey, alike);
    const timer = setTimeout(() => {
      alike.delete(given);
      void this.#giveBack(given, 'answered');
    }, SPARE_MS);
    alike.set(given, timer);
  }

  #takeSpare(name: string, paceKey: string): Given | undefined {
    const alike = this.#hosts.get(name)?.spares.get(paceKey);
    const [first] = alike ?? [];
    if (alike === undefined || first === undefined || !this.#isTrusted(first[0])) return undefined;
    const [given, timer] = first;
    clearTimeout(timer);
    alike.delete(given);
    return given;
  }

  async #giveBack(given: Given, outcome: Outcome | undefined): Promise<HostState> {
    if (outcome === 'answered') this.#troubled.delete(given.host);
    else if (outcome !== undefined) this.#troubled.set(given.host, true);
    const state = await given.turn.done(outcome);
    if (state !== 'up') this.#distrust(given.host);
    const host = this.#hosts.get(given.host);
    if (host !== undefined) {
      host.turns -= 1;
      if (host.turns === 0) this.#hosts.delete(given.host);
    }
    return state;
  }

  /** The host may have changed its mind: every start asks, until one was told that it may be asked. */
  #distrust(name: string): void {
    const host = this.#hosts.get(name);
    if (host !== undefined) host.lookedAtMs = Number.NEGATIVE_INFINITY;
  }
}
