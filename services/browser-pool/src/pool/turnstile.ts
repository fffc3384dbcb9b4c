import { AppError } from '@tidemark/errors';

interface Waiting {
  readonly workspaceId: string;
  readonly enter: () => void;
  readonly refuse: (error: AppError) => void;
}

const RETRY_AFTER_SECONDS = 2;

/**
 * Lets so many in at once and so many wait, first come first served within a workspace, the workspaces in turn: a crawl
 * of a thousand pages costs another customer's single page one place, not a thousand.
 */
export class Turnstile {
  readonly #places: number;
  readonly #waitingMax: number;
  readonly #lines = new Map<string, Waiting[]>();
  #inside = 0;
  #waiting = 0;

  constructor(places: number, waitingMax: number) {
    this.#places = places;
    this.#waitingMax = waitingMax;
  }

  get inside(): number {
    return this.#inside;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Resolves with the way out once there is a place. @throws AppError unavailable at once where too many wait, or at `signal` */
  async enter(workspaceId: string, signal: AbortSignal): Promise<() => void> {
    if (this.#inside < this.#places) this.#inside += 1;
    else await this.#wait(workspaceId, signal);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#inside -= 1;
      this.#next();
    };
  }

  #wait(workspaceId: string, signal: AbortSignal): Promise<void> {
    if (this.#waiting >= this.#waitingMax && !this.#makeRoomFor(workspaceId)) {
      throw unavailable('every browser tab is taken and the queue is full; try again shortly');
    }
    return new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#drop(entry);
        entry.refuse(unavailable('no browser tab came free in time; try again shortly'));
      };
      const entry: Waiting = {
        workspaceId,
        enter: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
        refuse: (error) => {
          signal.removeEventListener('abort', leave);
          reject(error);
        },
      };
      this.#lines.set(workspaceId, [...(this.#lines.get(workspaceId) ?? []), entry]);
      this.#waiting += 1;
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
    });
  }

  /** A full queue takes a newcomer that has nothing in it, at the cost of the longest line's last. */
  #makeRoomFor(workspaceId: string): boolean {
    if (this.#lines.has(workspaceId)) return false;
    const longest = [...this.#lines.values()].reduce<Waiting[]>((a, b) => (b.length > a.length ? b : a), []);
    const last = longest.length > 1 ? longest.at(-1) : undefined;
    if (last === undefined) return false;
    this.#drop(last);
    last.refuse(unavailable('the queue for browser tabs is full; try again shortly'));
    return true;
  }

  #drop(entry: Waiting): void {
    const line = this.#lines.get(entry.workspaceId) ?? [];
    const rest = line.filter((other) => other !== entry);
    this.#waiting -= line.length - rest.length;
    if (rest.length === 0) this.#lines.delete(entry.workspaceId);
    else this.#lines.set(entry.workspaceId, rest);
  }

  #next(): void {
    const [line] = this.#lines.values();
    const first = line?.[0];
    if (first === undefined || this.#inside >= this.#places) return;
    const rest = line?.slice(1) ?? [];
    // Maps keep insertion order: the workspace served goes to the end of the round.
    this.#lines.delete(first.workspaceId);
    if (rest.length > 0) this.#lines.set(first.workspaceId, rest);
    this.#waiting -= 1;
    // Taken before the one who waited wakes up, so that nobody slips in between.
    this.#inside += 1;
    first.enter();
  }
}

const unavailable = (message: string): AppError =>
  new AppError('unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
