import { Coalescer, type Logger } from '@tidemark/service';
import { anyOf, type Params, sql } from '@tidemark/sql';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import {
  type Fingerprint,
  fingerprintKey,
  type LadderResult,
  startRung,
  updateFingerprint,
} from '../domain/fingerprint.ts';
import { schema, tables } from './tables.ts';

const CACHE_MAX = 20_000;
/** Lifetime of a cached fingerprint, ms, after which updates of other processes are read. */
const CACHE_MS = 60_000;
const WRITE_EVERY_MS = 500;

const RECALL = schema.prepare('recall-hosts', ({ keys }: Params<{ readonly keys: readonly string[] }>) =>
  tables
    .selectFrom('host_fingerprints')
    .select(['similarity_key as key', 'rung', 'streak', 'skipped', 'seen_at as seenAt'])
    .where('similarity_key', '=', anyOf(keys)),
);

/** Fingerprints: the values at each position of the lists. */
interface Remembered {
  readonly removed: readonly string[];
  readonly keys: readonly string[];
  readonly rungs: readonly string[];
  readonly streaks: readonly number[];
  readonly skipped: readonly number[];
  readonly seenAt: readonly Date[];
}

const REMEMBER = schema.prepareText(
  'remember-hosts',
  {},
  ({ removed, keys, rungs, streaks, skipped, seenAt }: Params<Remembered>) => sql`
    WITH gone AS (DELETE FROM host_fingerprints WHERE similarity_key = ANY(${removed}))
    INSERT INTO host_fingerprints (similarity_key, rung, streak, skipped, seen_at)
    SELECT * FROM unnest(${keys}::text[], ${rungs}::text[], ${streaks}::float8[], ${skipped}::int[], ${seenAt}::timestamptz[])
    ON CONFLICT (similarity_key) DO UPDATE SET rung = excluded.rung, streak = excluded.streak, skipped = excluded.skipped, seen_at = excluded.seen_at
    WHERE host_fingerprints.seen_at <= excluded.seen_at`,
);

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
    const rows = await RECALL.rows(this.#pool, { keys: [...new Set(keys)] });
    for (const { key, rung, streak, skipped, seenAt } of rows) {
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
    await REMEMBER.change(this.#pool, {
      removed,
      keys: updated.map(({ key }) => key),
      rungs: updated.map(({ rung }) => rung),
      streaks: updated.map(({ streak }) => streak),
      skipped: updated.map(({ skipped }) => skipped),
      seenAt: updated.map(({ seenAt }) => seenAt),
    });
    return items.map(() => undefined);
  }
}
