/** What a visit to a host is given: when it may begin, and how its end is told. */
export interface Turn {
  done(): void;
}

interface Line {
  active: number;
  /** When the next visit may begin. */
  freeAtMs: number;
  readonly waiting: (() => void)[];
}

const MAX_HOSTS = 10_000;

/** Keeps visits of this process to one host few, and as far apart as the host asks, whichever maps they are for. */
export class HostTurns {
  readonly #atOnce: number;
  readonly #lines = new Map<string, Line>();

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /** Waits for a turn. @throws the signal's reason where it is aborted first */
  async take(host: string, gapMs: number, signal: AbortSignal): Promise<Turn> {
    const line = this.#line(host);
    const most = gapMs > 0 ? 1 : this.#atOnce;
    while (line.active >= most) {
      const wake = Promise.withResolvers<void>();
      line.waiting.push(wake.resolve);
      try {
        await orAborted(wake.promise, signal);
      } catch (error) {
        // One that gives up leaves the line, or a turn would go to nobody.
        const at = line.waiting.indexOf(wake.resolve);
        if (at >= 0) line.waiting.splice(at, 1);
        else line.waiting.shift()?.();
        throw error;
      }
    }
    line.active += 1;
    const turn = { done: () => this.#done(host, line) };
    try {
      const waitMs = line.freeAtMs - performance.now();
      line.freeAtMs = Math.max(line.freeAtMs, performance.now()) + gapMs;
      if (waitMs > 0) await orAborted(new Promise<void>((resolve) => setTimeout(resolve, waitMs).unref()), signal);
      signal.throwIfAborted();
      // A visit that begins later than it might puts off the next as well.
      if (gapMs > 0) line.freeAtMs = Math.max(line.freeAtMs, performance.now() + gapMs);
      return turn;
    } catch (error) {
      turn.done();
      throw error;
    }
  }

  /** Keeps everybody away from a host for a while. */
  hold(host: string, ms: number): void {
    const line = this.#line(host);
    line.freeAtMs = Math.max(line.freeAtMs, performance.now() + ms);
  }

  #done(host: string, line: Line): void {
    line.active -= 1;
    line.waiting.shift()?.();
    const isIdle = line.active === 0 && line.waiting.length === 0 && line.freeAtMs <= performance.now();
    if (isIdle || this.#lines.size > MAX_HOSTS) this.#lines.delete(host);
  }

  #line(host: string): Line {
    const known = this.#lines.get(host);
    if (known !== undefined) return known;
    const line: Line = { active: 0, freeAtMs: 0, waiting: [] };
    this.#lines.set(host, line);
    return line;
  }
}

async function orAborted(wait: Promise<void>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort);
  });
  try {
    await Promise.race([wait, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}
