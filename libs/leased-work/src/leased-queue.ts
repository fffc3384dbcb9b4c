import {
  type Columns,
  column,
  type Database,
  type Expression,
  type Params,
  type Prepared,
  paramsOf,
  type RawBuilder,
  type RowOf,
  type Schema,
  sql,
} from '@tidemark/sql';
import { type AttemptPolicy, MAX_INTERRUPTIONS, SUSPECT_INTERRUPTIONS } from './attempt-policy.ts';
import type { Fence } from './fence.ts';

type Sql = RawBuilder<unknown>;
type Keys = { readonly keys: readonly string[] };
type Limit = { readonly limit: number };
type Seconds = { readonly seconds: number };

/** A part of the text of a statement, which may need named values. */
export type Part<Values extends object> = Sql | ((values: Params<Values>) => Sql);

/**
 * The columns that hold the times of a row. `separate`: one column states when the row is due (null: it has ended), one until when it is
 * leased (null: it is not claimed). `shared`: one column states both; `whenNull`: what null means there.
 */
export type TimeColumns =
  | { readonly kind: 'separate'; readonly dueAt: string; readonly leaseUntil: string }
  | { readonly kind: 'shared'; readonly at: string; readonly whenNull: 'due' | 'never_due' };

/** The description of a table whose rows are work: one process claims a row and holds it until its lease expires. */
export interface QueueDescription<
  Key extends string,
  Returned extends Columns,
  Filter extends object,
  Owner extends object,
> {
  /** Keeps the statements. */
  readonly schema: Pick<Schema<unknown>, 'prepareText'>;
  /** Part of the names of its statements, such as `record`; unique in the service. */
  readonly name: string;
  readonly table: string;
  /** The columns of its key. They are also the names of the values that identify a row. */
  readonly key: readonly [Key, ...Key[]];
  readonly times: TimeColumns;
  readonly fence: Fence<Owner>;
  /** Counts the attempts begun. */
  readonly attempts?: string;
  /** Counts the attempts in a row that were interrupted: the lease expired without a result. `next`: its value after a claim. */
  readonly interruptions?: string | { readonly column: string; readonly next: Part<Filter> };
  /** The time from a claim, or from its renewal, to its expiry. */
  readonly leaseSeconds: number;
  /** The expiry of a claim, where it depends on the row. Default: after `leaseSeconds`. */
  readonly claimedUntil?: Part<Filter>;
  readonly policy: AttemptPolicy;
  /** Is true of a claimed row, also after its lease has expired. Default: it has an owner or, with `separate` times or without a fence, a lease. */
  readonly isClaimed?: Sql;
  /** Is true of a row whose work has not ended. Default: none, the times say it. */
  readonly isOpen?: Sql;
  /** A further condition of a claim. */
  readonly mayBeClaimed?: Part<Filter>;
  /** Order of claims. Default: the longest due first. */
  readonly order?: Sql;
  /** The time that counts as now in a claim. Default: `now()` of the database, as everywhere else. */
  readonly now?: Part<Filter>;
  /** Further assignments of a claim. */
  readonly onClaim?: Part<Filter>;
  /** Further assignments when a claimed row waits again. */
  readonly onRelease?: Sql;
  /** How work is claimed that interrupted several attempts: one such row in a claim, or none. Default: like any other. */
  readonly suspects?: 'one' | 'none';
  /** The columns that a claim returns. */
  readonly columns: Returned;
  /** How they are written. Default: the columns of the table with these names. */
  readonly returning?: Sql;
}

const { seconds: SECONDS, limit: LIMIT, keys: KEYS }: Params<Seconds & Limit & Keys> = paramsOf();
const AFTER = sql`now() + make_interval(secs => ${SECONDS})`;

const isPart = (part: Sql | undefined): part is Sql => part !== undefined;
const and = (...conditions: readonly (Sql | undefined)[]): Sql => sql.join(conditions.filter(isPart), sql` AND `);
const list = (...assignments: readonly (Sql | undefined)[]): Sql => sql.join(assignments.filter(isPart));

function written<Values extends object>(part: Part<Values>): Sql {
  return typeof part === 'function' ? part(paramsOf<Values>()) : part;
}

/** The order in which workspaces share a queue. */
export interface Fairness {
  /** The column of the workspace. The next row is one of the workspace that holds the fewest. */
  readonly workspace: string;
  /** Order of the rows of one workspace. */
  readonly order: Sql;
  /** Rows that are claimed before all others, whatever their workspace: a condition. */
  readonly first?: Sql;
  /** Order between workspaces that hold as many; null comes first. Expressions over a row of the relation `free`. */
  readonly ties: readonly [Sql, ...Sql[]];
  readonly maxPerWorkspace?: number;
  /** At most one row with the same value of this column is in progress, and which of them is next. */
  readonly oneEach?: { readonly column: string; readonly order: Sql };
  /** Rows that count as in progress though their lease has expired. */
  readonly isStillHeld?: Sql;
}

/**
 * The statements of a queue, made once from its description. Rows are claimed with `FOR NO KEY UPDATE SKIP LOCKED`, so that concurrent
 * claims take different rows, none waits, and inserts that reference a row are not blocked. Every later statement is fenced: it changes the row only while the claim holds it.
 */
export class LeasedQueue<
  Key extends string,
  Returned extends Columns,
  Owner extends object,
  Filter extends object = object,
> {
  readonly #description: QueueDescription<Key, Returned, Filter, Owner>;
  readonly #claim: Prepared<Filter & Owner & Limit, RowOf<Returned>>;
  /** Undefined for a key of several columns. */
  readonly #renew: Prepared<Owner & Keys, { readonly key: string }> | undefined;
  readonly policy: AttemptPolicy;

  constructor(description: QueueDescription<Key, Returned, Filter, Owner>) {
    this.#description = description;
    this.policy = description.policy;
    const { name, key, interruptions, policy, schema } = description;
    if (interruptions === undefined && policy.maxAttempts !== 'unlimited' && policy.maxAttempts > MAX_INTERRUPTIONS)
      throw new Error(
        `queue ${name} allows more attempts than a poison row may interrupt, and counts no interruptions`,
      );
    this.#claim = schema.prepareText<Filter & Owner & Limit, Returned>(`claim-${name}`, description.columns, () =>
      this.claimOf(...this.#picks()),
    );
    if (key.length === 1)
      this.#renew = schema.prepareText(
        `renew-${name}`,
        { key: column('text') },
        (_: Params<Owner & Keys>) =>
          sql`UPDATE ${this.#table} SET ${this.#until} = ${this.#renewed} WHERE ${this.#keys} = ANY(${KEYS}) AND ${this.isHeld}
            RETURNING ${this.#keys}::text AS key`,
      );
  }

  get leaseSeconds(): number {
    return this.#description.leaseSeconds;
  }

  get #table(): Sql {
    return sql.ref(this.#description.table);
  }

  /** The column until which a row is leased. */
  get #until(): Sql {
    const { times } = this.#description;
    return sql.ref(times.kind === 'separate' ? times.leaseUntil : times.at);
  }

  /** The column that states when a row is due. */
  get #dueAt(): Sql {
    const { times } = this.#description;
    return sql.ref(times.kind === 'separate' ? times.dueAt : times.at);
  }

  get #keys(): Sql {
    return sql.join(this.#description.key.map((name) => sql.ref(name)));
  }

  get #now(): Sql {
    return written(this.#description.now ?? sql`now()`);
  }

  get #renewed(): Sql {
    return sql`now() + make_interval(secs => ${sql.lit(this.#description.leaseSeconds)})`;
  }

  get #attempts(): Sql | undefined {
    return this.#description.attempts === undefined ? undefined : sql.ref(this.#description.attempts);
  }

  /** The column that counts interruptions. */
  get #interruptions(): Sql | undefined {
    const { interruptions } = this.#description;
    if (interruptions === undefined) return undefined;
    return sql.ref(typeof interruptions === 'string' ? interruptions : interruptions.column);
  }

  /** Counts an interruption if the claimed row was claimed before and not released. */
  #nextInterruptions(): Sql | undefined {
    const { interruptions } = this.#description;
    const count = this.#interruptions;
    if (count === undefined) return undefined;
    if (typeof interruptions === 'object') return sql`${count} = ${written(interruptions.next)}`;
    return sql`${count} = CASE WHEN ${this.#isClaimed} THEN ${count} + 1 ELSE 0 END`;
  }

  get #isClaimed(): Sql {
    const { isClaimed, times, fence } = this.#description;
    if (isClaimed !== undefined) return isClaimed;
    if (times.kind === 'shared' && fence.column !== undefined) return sql`${fence.column} IS NOT NULL`;
    return sql`${this.#until} IS NOT NULL`;
  }

  get #mayBeClaimed(): Sql | undefined {
    const { mayBeClaimed } = this.#description;
    return mayBeClaimed === undefined ? undefined : written(mayBeClaimed);
  }

  /** Is true of a row that this claim holds. Part of every statement that stores a result. */
  get isHeld(): Sql {
    const { fence, isOpen } = this.#description;
    return and(fence.isOwner, this.#isClaimed, isOpen);
  }

  /** Is true of a row that is due and not leased: waiting, or claimed by a process whose lease has expired. */
  get isDue(): Sql {
    const { times, isOpen } = this.#description;
    const isDue =
      times.kind === 'separate'
        ? sql`${this.#dueAt} <= ${this.#now} AND (${this.#until} IS NULL OR ${this.#until} < ${this.#now})`
        : times.whenNull === 'due'
          ? sql`(${this.#until} IS NULL OR ${this.#until} < ${this.#now})`
          : sql`${this.#until} <= ${this.#now}`;
    return and(isOpen, isDue);
  }

  /** Selects the keys of the rows to claim, and locks them. A claim of suspects is a selection of its own, which stops at its own limit. */
  #picks(): Sql[] {
    const { suspects } = this.#description;
    const count = this.#interruptions;
    if (suspects === undefined || count === undefined) return [this.pickWhere(undefined, LIMIT)];
    const many = sql.lit(SUSPECT_INTERRUPTIONS);
    const usual = this.pickWhere(sql`${count} < ${many}`, LIMIT);
    if (suspects === 'none') return [usual];
    return [usual, this.pickWhere(sql`${count} >= ${many}`, sql`1`)];
  }

  /** Selects due rows for a claim: those that also meet `condition`, at most `limit`. */
  pickWhere(condition: Sql | undefined, limit: Expression<unknown>): Sql {
    const where = and(this.isDue, this.#mayBeClaimed, condition);
    const order = this.#description.order ?? this.#dueAt;
    return sql`SELECT ${this.#keys} FROM ${this.#table} WHERE ${where} ORDER BY ${order} LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED`;
  }

  /** Selects due rows for a claim, at most `limit`, so that workspaces take turns. */
  fairPick(
    { workspace, order, first, ties, maxPerWorkspace, oneEach, isStillHeld }: Fairness,
    limit: Expression<unknown>,
  ): Sql {
    const ofWorkspace = sql.ref(workspace);
    const isLeased = sql`${this.#until} >= now()`;
    const held = and(
      isStillHeld === undefined ? isLeased : sql`(${isLeased} OR ${isStillHeld})`,
      this.#isClaimed,
      this.#description.isOpen,
    );
    const each = oneEach && sql.ref(oneEach.column);
    const isAlone = each && sql`NOT EXISTS (SELECT FROM held WHERE held.${each} = ${this.#table}.${each})`;
    const place = oneEach ? sql`row_number() OVER (PARTITION BY ${each} ORDER BY ${oneEach.order})` : sql`1`;
    const rank = (at: number): Sql => sql.ref(`rank_${at}`);
    const ranks = sql.join([
      sql`${first ?? sql`true`} AS rank_first`,
      ...ties.map((tie, at) => sql`${tie} AS ${rank(at)}`),
    ]);
    const byRank = sql.join([sql`rank_first DESC`, sql`turn`, ...ties.map((_, at) => sql`${rank(at)} NULLS FIRST`)]);
    const isAllowed = maxPerWorkspace === undefined ? sql`true` : sql`turn <= ${sql.lit(maxPerWorkspace)}`;
    return sql`
      WITH held AS (
        SELECT * FROM ${this.#table} WHERE ${held}
      ), busy AS (
        SELECT ${ofWorkspace}, count(*) AS held_rows FROM held GROUP BY ${ofWorkspace}
      ), free AS (
        SELECT *, ${place} AS place FROM ${this.#table} WHERE ${and(this.isDue, this.#mayBeClaimed, isAlone)}
      ), turns AS (
        SELECT ${this.#keys}, ${ranks}, coalesce(held_rows, 0) + row_number() OVER (PARTITION BY ${ofWorkspace} ORDER BY ${order}) AS turn
        FROM free LEFT JOIN busy USING (${ofWorkspace}) WHERE place = 1
      )
      SELECT ${this.#keys} FROM ${this.#table} WHERE (${this.#keys}) IN (
        SELECT ${this.#keys} FROM turns WHERE ${isAllowed} ORDER BY ${byRank} LIMIT ${limit}
      ) AND ${this.isDue} FOR NO KEY UPDATE SKIP LOCKED`;
  }

  /** The update of a claim: of the rows whose keys `picks` select and lock. Part of a larger statement, or of `claimStatement`. */
  claimOf(...picks: readonly Sql[]): Sql {
    const { key, fence, onClaim, columns, returning } = this.#description;
    const until =
      this.#description.claimedUntil ??
      sql`${this.#now} + make_interval(secs => ${sql.lit(this.#description.leaseSeconds)})`;
    const attempts = this.#attempts;
    const set = list(
      sql`${this.#until} = ${written(until)}`,
      fence.isOwner,
      attempts && sql`${attempts} = ${attempts} + 1`,
      this.#nextInterruptions(),
      onClaim && written(onClaim),
    );
    const returned = returning ?? sql.join(Object.keys(columns).map((name) => sql.ref(name)));
    const [single, ...more] = key;
    // An array, not a join: the planner cannot estimate how few rows are picked, and would scan the table.
    if (more.length === 0) {
      const picked = sql.join(
        picks.map((pick) => sql`ARRAY(${pick})`),
        sql` || `,
      );
      return sql`UPDATE ${this.#table} SET ${set} WHERE ${sql.ref(single)} = ANY (${picked}) RETURNING ${returned}`;
    }
    // Locks are not allowed in a part of a union, and are in a subquery of it.
    const pick = sql.join(
      picks.map((part, at) => sql`SELECT * FROM (${part}) AS ${sql.ref(`pick_${at}`)}`),
      sql` UNION ALL `,
    );
    const keyAt = (at: number): Sql => sql.ref(`key_${at}`);
    const isPicked = and(...key.map((name, at) => sql`${sql.ref(name)} = ${keyAt(at)}`));
    return sql`WITH picked (${sql.join(key.map((_, at) => keyAt(at)))}) AS MATERIALIZED (${pick})
      UPDATE ${this.#table} SET ${set} FROM picked WHERE ${isPicked} RETURNING ${returned}`;
  }

  /** Makes a claim of rows that are picked in another way than by `claim`. */
  claimStatement<Values extends object>(
    name: string,
    pick: Part<Values>,
  ): Prepared<Values & Filter & Owner, RowOf<Returned>> {
    const { schema, columns } = this.#description;
    return schema.prepareText<Values & Filter & Owner, Returned>(name, columns, () => this.claimOf(written(pick)));
  }

  /** Claims up to `limit` due rows under the fencing token `owner`. An attempt begins with each. */
  claim(db: Database, values: Filter & Owner & Limit): Promise<RowOf<Returned>[]> {
    return this.#claim.rows(db, values);
  }

  /** Renews the leases of claims. For a queue with one key column; `keys` is a list. @returns the keys that it still owns */
  async renew(db: Database, values: Owner & Keys): Promise<Set<string>> {
    if (this.#renew === undefined) throw new Error(`queue ${this.#description.name} has a key of several columns`);
    const rows = await this.#renew.rows(db, values);
    return new Set(rows.map(({ key }) => key));
  }

  /** Makes the statement that ends an attempt as failed: the row is due again after `seconds`. */
  retry<Values extends object = object>(name: string, set?: Part<Values>): Change<Key, Owner & Values & Seconds> {
    return this.release<Values & Seconds>(name, { dueAt: AFTER, isCounted: true, set: set && written(set) });
  }

  /** Makes the statement that takes an attempt back: the row is due again after `seconds`, and the attempt is not counted. */
  postpone<Values extends object = object>(name: string, set?: Part<Values>): Change<Key, Owner & Values & Seconds> {
    return this.release<Values & Seconds>(name, { dueAt: AFTER, isCounted: false, set: set && written(set) });
  }

  /** Makes a statement that ends a claim and lets the row wait until a time of its own. */
  release<Values extends object = object>(
    name: string,
    how: {
      readonly dueAt: Part<Values>;
      /** Whether the attempt counts. */
      readonly isCounted: boolean;
      readonly set?: Part<Values> | undefined;
    },
  ): Change<Key, Owner & Values> {
    const { times, onRelease } = this.#description;
    const attempts = this.#attempts;
    const assignments = list(
      sql`${this.#dueAt} = ${written(how.dueAt)}`,
      times.kind === 'separate' ? sql`${this.#until} = NULL` : undefined,
      this.#withoutOwner,
      how.isCounted || attempts === undefined ? undefined : sql`${attempts} = ${attempts} - 1`,
      onRelease,
      how.set && written(how.set),
    );
    return this.update<Values>(name, assignments);
  }

  /** Makes the statement that ends the work: the row is never due again. */
  end<Values extends object = object>(name: string, set?: Part<Values>): Change<Key, Owner & Values> {
    return this.update<Values>(name, this.endOf(set && written(set)));
  }

  /** The assignments that end the work, for a larger statement. */
  endOf(set?: Sql): Sql {
    const times = this.#description.times.kind === 'separate' ? [this.#dueAt, this.#until] : [this.#until];
    return list(...times.map((name) => sql`${name} = NULL`), this.#withoutOwner, set);
  }

  get #withoutOwner(): Sql | undefined {
    const { column: owner } = this.#description.fence;
    return owner && sql`${owner} = NULL`;
  }

  /** Makes the statement that stores progress: the lease is renewed, and earlier interruptions no longer count. */
  progress<Values extends object = object>(name: string, set?: Part<Values>): Change<Key, Owner & Values> {
    const count = this.#interruptions;
    const reset = count && sql`${count} = 0`;
    return this.update<Values>(name, list(sql`${this.#until} = ${this.#renewed}`, reset, set && written(set)));
  }

  /** Makes a statement that changes a row only while this claim holds it. */
  update<Values extends object = object>(name: string, set: Part<Values>): Change<Key, Owner & Values> {
    return this.#change<Values>(
      name,
      sql`UPDATE ${this.#table} SET ${written(set)} WHERE ${this.#isRow} AND ${this.isHeld}`,
    );
  }

  /** Makes the statement that deletes a row while this claim holds it. */
  remove(name: string): Change<Key, Owner> {
    return this.#change<object>(name, sql`DELETE FROM ${this.#table} WHERE ${this.#isRow} AND ${this.isHeld}`);
  }

  #change<Values extends object>(name: string, text: Sql): Change<Key, Owner & Values> {
    return this.#description.schema.prepareText<Readonly<Record<Key, unknown>> & Owner & Values, Record<never, never>>(
      name,
      {},
      () => text,
    );
  }

  get #isRow(): Sql {
    const values = paramsOf<Record<string, unknown>>();
    return and(...this.#description.key.map((name) => sql`${sql.ref(name)} = ${values[name]}`));
  }
}

/** A statement that changes a row of a queue: `changesRow` returns whether the claim held it. */
export type Change<Key extends string, Values extends object> = Prepared<
  Readonly<Record<Key, unknown>> & Values,
  Record<never, never>
>;
