import { AppError } from '@tidemark/errors';
import { anyOf, changeRows, column, type Params, sql } from '@tidemark/sql';
import type { Attempt } from '../domain/limits.ts';
import type { Queryable } from './queryable.ts';
import { schema, tables } from './tables.ts';

const nameOf = ({ limit, of }: Attempt): string => `${limit.name}:${of}`;

/** Limits: the values at each position of the lists. */
interface LimitLists {
  readonly names: readonly string[];
  readonly seconds: readonly number[];
}

const COUNT = schema.prepareText(
  'count-attempts',
  { subject: column('text'), count: column('int4'), left: column('int4') },
  ({ names, seconds }: Params<LimitLists>) => sql`
    INSERT INTO login_failures AS f (subject, count, ends_at)
    SELECT subject, 1, now() + make_interval(secs => seconds) FROM unnest(${names}::text[], ${seconds}::int[]) AS a (subject, seconds)
    ON CONFLICT (subject) DO UPDATE SET
      count = CASE WHEN f.ends_at <= now() THEN 1 ELSE f.count + 1 END,
      ends_at = CASE WHEN f.ends_at <= now() THEN EXCLUDED.ends_at ELSE f.ends_at END
    RETURNING subject, count, ceil(extract(epoch FROM ends_at - now()))::int AS left`,
);

/**
 * Counts attempts in fixed windows, in PostgreSQL: for all instances, and without Redis. An attempt is counted before its result is known, so
 * that concurrent attempts are bounded as well.
 */
export class AttemptCounter {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Counts an attempt against all of these limits. @returns a function that takes it back. @throws AppError rate_limited */
  async take(attempts: readonly Attempt[]): Promise<() => Promise<void>> {
    if (attempts.length === 0) return async () => undefined;
    // Sorted, so that concurrent statements lock the rows in one order.
    const sorted = attempts.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
    const names = sorted.map(nameOf);
    const rows = await COUNT.rows(this.#db, { names, seconds: sorted.map(({ limit }) => limit.seconds) });
    const takeBack = () => this.#takeBack(names);
    const over = rows.filter(({ subject, count }) => count > (sorted[names.indexOf(subject)]?.limit.max ?? 0));
    if (over.length === 0) return takeBack;
    await takeBack();
    const seconds = Math.max(1, ...over.map(({ left }) => left));
    throw new AppError('rate_limited', `too many attempts; try again in ${waitOf(seconds)}`, {
      retryAfterSeconds: seconds,
    });
  }

  /** Deletes the attempts of a subject, such as the wrong codes of a person who has signed in. */
  async reset(attempts: readonly Attempt[]): Promise<void> {
    await changeRows(this.#db, tables.deleteFrom('login_failures').where('subject', '=', anyOf(attempts.map(nameOf))));
  }

  async #takeBack(names: readonly string[]): Promise<void> {
    await changeRows(
      this.#db,
      tables
        .updateTable('login_failures')
        .set({ count: sql<number>`count - 1` })
        .where('subject', '=', anyOf(names))
        .where('count', '>', 0),
    );
  }
}

const waitOf = (seconds: number): string => (seconds > 120 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} s`);
