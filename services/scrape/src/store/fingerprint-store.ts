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

const CACHE_MAX = 20_000;
/** Lifetime of a cached fingerprint, ms, after which updates of other processes are read. */
const CACHE_MS = 60_000;
const WRITE_EVERY_MS = 500;

interface Row {
  readonly key: string;
  readonly rung: string;
  readonly streak: number;
  readonly skipped: number;
  readonly seen_at: Date;
}

/**
 * Caches host fingerprints and shares them through a table. A page never waits for it: a missing fingerprint is loaded
 * for the next page, and updates are written later in batches. A lost write costs one page started on a cheaper rung.
 */
export class FingerprintStore {
  readonly #pool: pg.Pool;
  readonly #log: Logger;
  readonly #cache = new LRUCache<string, { fingerprint: Fingerprint | undefined; readAtMs: number }>({
    max: CACHE_MAX,
  });
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

  /** Returns the rung to start on; undefined: the cheapest. */
  startRung(url: string): string | undefined {
    const key = fingerprintKey(url);
    const known = this.#cache.get(key);
    if (known === undefined || performance.now() - known.readAtMs > CACHE_MS) this.#load(key);
    return startRung(known?.fingerprint, new Date());
  }

  updateFingerprint(url: string, result: LadderResult): void {
    const key = fingerprintKey(url);
    const before = this.#cache.get(key);
    const fingerprint = updateFingerprint(before?.fingerprint, result, new Date());
    if (fingerprint === before?.fingerprint) return;
    this.#cache.set(key, { fingerprint, readAtMs: before?.readAtMs ?? performance.now() });
    if (this.#closed) return;
    const written: Promise<unknown> = this.#writes
      .add({ key, fingerprint })
      .catch((error: unknown) => this.#warn(error))
      .finally(() => this.#writing.delete(written));
    this.#writing.add(written);
  }

  /** Waits for pending writes. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all(this.#writing);
  }

  #load(key: string): void {
    if (this.#closed) return;
    // Marked as read at once, so that a burst causes one query.
    this.#cache.set(key, { fingerprint: this.#cache.get(key)?.fingerprint, readAtMs: performance.now() });
    this.#reads.add(key).catch((error: unknown) => this.#warn(error));
  }

  #warn(error: unknown): void {
    this.#log.warn({ err: error }, 'reading or writing host fingerprints failed, pages start on the cheapest rung');
  }

  async #readMany(keys: readonly string[]): Promise<undefined[]> {
    const { rows } = await this.#pool.query<Row>({
      name: 'recall-hosts',
      text: 'SELECT similarity_key AS key, rung, streak, skipped, seen_at FROM host_fingerprints WHERE similarity_key = ANY($1)',
      values: [[...new Set(keys)]],
    });
    for (const { key, rung, streak, skipped, seen_at: seenAt } of rows) {
      const cached = this.#cache.get(key)?.fingerprint;
      if (cached !== undefined && cached.seenAt >= seenAt) continue;
      this.#cache.set(key, { fingerprint: { rung, streak, skipped, seenAt }, readAtMs: performance.now() });
    }
    return keys.map(() => undefined);
  }

  async #writeMany(items: readonly { key: string; fingerprint: Fingerprint | undefined }[]): Promise<undefined[]> {
    // The last update of each key: one statement must not touch a row twice.
    const latest = new Map(items.map(({ key, fingerprint }) => [key, fingerprint]));
    const removed = [...latest].flatMap(([key, fingerprint]) => (fingerprint === undefined ? [key] : []));
    const updated = [...latest].flatMap(([key, fingerprint]) =>
      fingerprint === undefined ? [] : [{ key, ...fingerprint }],
    );
    await this.#pool.query({
      name: 'remember-hosts',
      text: `
        WITH gone AS (DELETE FROM host_fingerprints WHERE similarity_key = ANY($1))
        INSERT INTO host_fingerprints (similarity_key, rung, streak, skipped, seen_at)
        SELECT * FROM unnest($2::text[], $3::text[], $4::float8[], $5::int[], $6::timestamptz[])
        ON CONFLICT (similarity_key) DO UPDATE SET rung = excluded.rung, streak = excluded.streak, skipped = excluded.skipped, seen_at = excluded.seen_at
        WHERE host_fingerprints.seen_at <= excluded.seen_at`,
      values: [
        removed,
        updated.map(({ key }) => key),
        updated.map(({ rung }) => rung),
        updated.map(({ streak }) => streak),
        updated.map(({ skipped }) => skipped),
        updated.map(({ seenAt }) => seenAt),
      ],
    });
    return items.map(() => undefined);
  }
}
