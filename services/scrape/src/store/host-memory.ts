import { Coalescer, type Logger } from '@tidemark/service';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import {
  type Fingerprint,
  fingerprintKey,
  type LadderResult,
  startRung,
  updateFingerprint,
} from '../domain/fingerprint.ts';

const KEPT = 20_000;
/** What other processes have learnt is looked at again after this. */
const FRESH_MS = 60_000;
const WRITE_EVERY_MS = 500;

interface Row {
  readonly fingerprintKey: string;
  readonly rung: string;
  readonly streak: number;
  readonly skipped: number;
  readonly seen_at: Date;
}

/**
 * What is remembered of pages alike, shared through a table. A page never waits for it: what is not known yet is looked up for the
 * next one, and what is learnt is written a moment later. A lost write costs one page begun on a cheaper rung.
 */
export class HostMemory {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #known = new LRUCache<string, { fingerprint: Fingerprint | undefined; readAtMs: number }>({ max: KEPT });
  readonly #reads: Coalescer<string, undefined>;
  readonly #writes: Coalescer<{ key: string; fingerprint: Fingerprint | undefined }, undefined>;
  readonly #writing = new Set<Promise<unknown>>();
  #closed = false;

  constructor(pool: pg.Pool, log: Logger) {
    this.#pool = pool;
    this.#log = log;
    this.#reads = new Coalescer((keys) => this.#readMany(keys), { maxBatch: 200 });
    this.#writes = new Coalescer((items) => this.#writeMany(items), { maxBatch: 500, everyMs: WRITE_EVERY_MS });
  }

  /** The rung to begin on; undefined: the cheapest. */
  startRung(url: string): string | undefined {
    const key = fingerprintKey(url);
    const known = this.#known.get(key);
    if (known === undefined || performance.now() - known.readAtMs > FRESH_MS) this.#lookUp(key);
    return startRung(known?.fingerprint, new Date());
  }

  updateFingerprint(url: string, experience: LadderResult): void {
    const key = fingerprintKey(url);
    const before = this.#known.get(key);
    const fingerprint = updateFingerprint(before?.fingerprint, experience, new Date());
    if (fingerprint === before?.fingerprint) return;
    this.#known.set(key, { fingerprint, readAtMs: before?.readAtMs ?? performance.now() });
    if (this.#closed) return;
    const written: Promise<unknown> = this.#writes
      .add({ key, fingerprint })
      .catch((error: unknown) => this.#complain(error))
      .finally(() => this.#writing.delete(written));
    this.#writing.add(written);
  }

  /** Waits for what is still being written. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#writing);
  }

  #lookUp(key: string): void {
    if (this.#closed) return;
    // Taken as looked up until the answer is there, so that a burst asks once.
    this.#known.set(key, { fingerprint: this.#known.get(key)?.fingerprint, readAtMs: performance.now() });
    this.#reads.add(key).catch((error: unknown) => this.#complain(error));
  }

  #complain(error: unknown): void {
    this.#log.warn(
      { err: error },
      'what is remembered of hosts could not be read or written; pages begin on the cheapest rung',
    );
  }

  async #readMany(keys: readonly string[]): Promise<undefined[]> {
    const { rows } = await this.#pool.query<Row>({
      name: 'recall-hosts',
      text: 'SELECT likeness, rung, streak, skipped, seen_at FROM host_fingerprints WHERE likeness = ANY($1)',
      values: [[...new Set(keys)]],
    });
    for (const { fingerprintKey: key, rung, streak, skipped, seen_at: seenAt } of rows) {
      const here = this.#known.get(key)?.fingerprint;
      if (here !== undefined && here.seenAt >= seenAt) continue;
      this.#known.set(key, { fingerprint: { rung, streak, skipped, seenAt }, readAtMs: performance.now() });
    }
    return keys.map(() => undefined);
  }

  async #writeMany(items: readonly { key: string; fingerprint: Fingerprint | undefined }[]): Promise<undefined[]> {
    // The newest word on each; one statement must not touch a row twice.
    const latest = new Map(items.map(({ key, fingerprint }) => [key, fingerprint]));
    const gone = [...latest].flatMap(([key, fingerprint]) => (fingerprint === undefined ? [key] : []));
    const kept = [...latest].flatMap(([key, fingerprint]) =>
      fingerprint === undefined ? [] : [{ key, ...fingerprint }],
    );
    await this.#pool.query({
      name: 'remember-hosts',
      text: `
        WITH gone AS (DELETE FROM host_fingerprints WHERE likeness = ANY($1))
        INSERT INTO host_fingerprints (likeness, rung, streak, skipped, seen_at)
        SELECT * FROM unnest($2::text[], $3::text[], $4::float8[], $5::int[], $6::timestamptz[])
        ON CONFLICT (likeness) DO UPDATE SET rung = excluded.rung, streak = excluded.streak, skipped = excluded.skipped, seen_at = excluded.seen_at
        WHERE host_fingerprints.seen_at <= excluded.seen_at`,
      values: [
        gone,
        kept.map(({ key }) => key),
        kept.map(({ rung }) => rung),
        kept.map(({ streak }) => streak),
        kept.map(({ skipped }) => skipped),
        kept.map(({ seenAt }) => seenAt),
      ],
    });
    return items.map(() => undefined);
  }
}
