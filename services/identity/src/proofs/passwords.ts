import { hash, parseOptions, verify } from '@node-rs/argon2';
import { AppError } from '@tidemark/errors';

/** argon2id (the default of the library), OWASP's first parameters: 8 ms and 19 MB each. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Hashes at once; each takes a thread of the pool and 19 MB. */
const MAX_RUNNING = 4;
/** Hashes that wait for a place. More would wait longer than their callers. */
const MAX_WAITING = 200;

/** Hashes and verifies passwords, a bounded number at once. */
export class Passwords {
  readonly #dummy: Promise<string>;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor() {
    this.#dummy = hash(crypto.randomUUID(), PARAMETERS);
    // The first verification reports the failure.
    this.#dummy.catch(() => undefined);
  }

  /** Returns the hash under which a password is stored. @throws AppError unavailable if too many are waiting */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(normalize(password), PARAMETERS));
  }

  /**
   * Returns whether a password belongs to a stored hash. Without a hash (no such account) a dummy is verified, so that the time reveals
   * nothing. @throws AppError unavailable
   */
  async verify(stored: string | null | undefined, password: string): Promise<boolean> {
    const known = stored ?? (await this.#dummy);
    const isRight = await this.#inTurn(() => verify(known, normalize(password)));
    return isRight && stored !== null && stored !== undefined;
  }

  /** Returns whether a hash was made with weaker parameters than today's. */
  isOutdated(stored: string): boolean {
    const { memoryCost = 0, timeCost = 0 } = parseOptions(stored);
    return memoryCost < PARAMETERS.memoryCost || timeCost < PARAMETERS.timeCost;
  }

  async #inTurn<T>(run: () => Promise<T>): Promise<T> {
    if (this.#running >= MAX_RUNNING) {
      if (this.#waiting.length >= MAX_WAITING)
        throw new AppError('unavailable', 'too many sign-ins at once; try again shortly', { retryAfterSeconds: 2 });
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await run();
    } finally {
      const next = this.#waiting.shift();
      // The place passes to the next one.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

/** Two ways to type one character give the same password (NIST SP 800-63B-4, 3.1.1.2). */
const normalize = (password: string): string => password.normalize('NFKC');
