/** A change of the canary's site. */
interface Change {
  readonly url: string;
  readonly shownAtMs: number;
}

/** What the canary measured. */
export interface Measured {
  /** Changes whose webhook arrived within the limit, and later. */
  readonly arrived: number;
  readonly late: number;
  /** Time from the newest change that arrived to its webhook, seconds; undefined: none has arrived yet. */
  readonly latencySeconds: number | undefined;
  /** Age of the oldest change that has not arrived, seconds; 0: none waits. */
  readonly waitingSeconds: number;
}

/** Changes that wait at most: further ones are not remembered. The oldest of them states the delay. */
const MAX_WAITING = 1_000;

/** Compares when the site changed with when the webhooks arrived. */
export class ChangeLog {
  readonly #limitSeconds: number;
  #waiting: Change[] = [];
  #arrived = 0;
  #late = 0;
  #latencySeconds: number | undefined;

  constructor(limitSeconds: number) {
    this.#limitSeconds = limitSeconds;
  }

  /** Records that a page has new content since a time. */
  shown(url: string, atMs: number): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push({ url, shownAtMs: atMs });
  }

  /** Records a webhook about a page: it answers all changes of the page up to then. A webhook about another page changes nothing. */
  arrived(url: string, atMs: number): void {
    const answered = this.#waiting.filter((change) => change.url === url);
    this.#waiting = this.#waiting.filter((change) => change.url !== url);
    for (const { shownAtMs } of answered) {
      this.#latencySeconds = (atMs - shownAtMs) / 1_000;
      if (this.#latencySeconds > this.#limitSeconds) this.#late += 1;
      else this.#arrived += 1;
    }
  }

  /** Discards changes that no run will report, because the project is new. */
  discard(): void {
    this.#waiting = [];
  }

  measured(nowMs: number): Measured {
    const [oldest] = this.#waiting;
    return {
      arrived: this.#arrived,
      late: this.#late,
      latencySeconds: this.#latencySeconds,
      waitingSeconds: oldest === undefined ? 0 : Math.max(0, (nowMs - oldest.shownAtMs) / 1_000),
    };
  }
}
