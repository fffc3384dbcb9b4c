import type pg from 'pg';
import { type AttemptPolicy, MAX_INTERRUPTIONS, SUSPECT_INTERRUPTIONS } from './attempt-policy.ts';
import type { Fence } from './fence.ts';
import { type Fragment, identifier, join, param, sql, text } from './fragment.ts';
import { type Database, type Returning, Statement } from './statement.ts';

/**
 * The columns that hold the times of a row. `separate`: one column states when the row is due (null: it has ended), one until when it is
 * leased (null: it is not claimed). `shared`: one column states both; `whenNull`: what null means there.
 */
export type TimeColumns =
  | { readonly kind: 'separate'; readonly dueAt: string; readonly leaseUntil: string }
  | { readonly kind: 'shared'; readonly at: string; readonly whenNull: 'due' | 'never_due' };

/** The description of a table whose rows are work: one process claims a row and holds it until its lease expires. */
export interface QueueDescription<Key extends string, Row, Filter extends string, Owner extends string> {
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
  readonly interruptions?: string | { readonly column: string; readonly next: Fragment<Filter | Owner> };
  /** The time from a claim, or from its renewal, to its expiry. */
  readonly leaseSeconds: number;
  /** The expiry of a claim, where it depends on the row. Default: after `leaseSeconds`. */
  readonly claimedUntil?: Fragment<Filter>;
  readonly policy: AttemptPolicy;
  /** Is true of a claimed row, also after its lease has expired. Default: it has an owner or, with `separate` times or without a fence, a lease. */
  readonly isClaimed?: Fragment;
  /** Is true of a row whose work has not ended. Default: none, the times say it. */
  readonly isOpen?: Fragment;
  /** A further condition of a claim. */
  readonly mayBeClaimed?: Fragment<Filter>;
  /** Order of claims. Default: the longest due first. */
  readonly order?: Fragment;
  /** The time that counts as now in a claim. Default: `now()` of the database, as everywhere else. */
  readonly now?: Fragment<Filter>;
  /** Further assignments of a claim. */
  readonly onClaim?: Fragment<Filter | Owner>;
  /** Further assignments when a claimed row waits again. */
  readonly onRelease?: Fragment;
  /** How work is claimed that interrupted several attempts: one such row in a claim, or none. Default: like any other. */
  readonly suspects?: 'one' | 'none';
  /** What a claim returns. */
  readonly returning: Returning<Row>;
}

const SECONDS = param('seconds');
const LIMIT = param('limit');

const AFTER = sql`now() + make_interval(secs => ${SECONDS})`;

/** The order in which workspaces share a queue. */
export interface Fairness<Name extends string> {
  /** The column of the workspace. The next row is one of the workspace that holds the fewest. */
  readonly workspace: string;
  /** Order of the rows of one workspace. */
  readonly order: Fragment;
  /** Rows that are claimed before all others, whatever their workspace: a condition. */
  readonly first?: Fragment;
  /** Order between workspaces that hold as many; null comes first. Expressions over a row of the relation `free`. */
  readonly ties: readonly [Fragment, ...Fragment[]];
  readonly maxPerWorkspace?: number;
  /** At most one row with the same value of this column is in progress, and which of them is next. */
  readonly oneEach?: { readonly column: string; readonly order: Fragment };
  /** Rows that count as in progress though their lease has expired. */
  readonly isStillHeld?: Fragment<Name>;
}

/**
 * The statements of a queue, made once from its description. Rows are claimed with `FOR NO KEY UPDATE SKIP LOCKED`, so that concurrent
 * claims take different rows, none waits, and inserts that reference a row are not blocked. Every later statement is fenced: it changes the row only while the claim holds it.
 */
export class LeasedQueue<
  Key extends string,
  Row extends pg.QueryResultRow,
  Owner extends string,
  Filter extends string = never,
> {
  readonly #is: QueueDescription<Key, Row, Filter, Owner>;
  readonly #claim: Statement<Row, Filter | Owner | 'limit'>;
  readonly #renew: Statement<Readonly<Record<Key, string>>, 'keys' | Owner>;
  readonly policy: AttemptPolicy;

  constructor(description: QueueDescription<Key, Row, Filter, Owner>) {
    this.#is = description;
    this.policy = description.policy;
    const { name, interruptions, policy } = description;
    if (interruptions === undefined && policy.maxAttempts !== 'unlimited' && policy.maxAttempts > MAX_INTERRUPTIONS)
      throw new Error(
        `queue ${name} allows more attempts than a poison row may interrupt, and counts no interruptions`,
      );
    this.#claim = this.claimStatement(`claim-${name}`, ...this.#picks());
    this.#renew = new Statement(
      `renew-${name}`,
      sql<
        'keys' | Owner
      >`UPDATE ${this.#table} SET ${this.#until} = ${this.#renewed} WHERE ${this.#keys} = ANY(${param('keys')}) AND ${this.isHeld} RETURNING ${this.#keys}`,
    );
  }

  get leaseSeconds(): number {
    return this.#is.leaseSeconds;
  }

  get #table(): Fragment {
    return identifier(this.#is.table);
  }

  /** The column until which a row is leased. */
  get #until(): Fragment {
    const { times } = this.#is;
    return identifier(times.kind === 'separate' ? times.leaseUntil : times.at);
  }

  /** The column that states when a row is due. */
  get #dueAt(): Fragment {
    const { times } = this.#is;
    return identifier(times.kind === 'separate' ? times.dueAt : times.at);
  }

  get #keys(): Fragment {
    return join(this.#is.key.map(identifier), ', ');
  }

  get #now(): Fragment<Filter> {
    return this.#is.now ?? sql`now()`;
  }

  get #renewed(): Fragment {
    return sql`now() + make_interval(secs => ${this.#is.leaseSeconds})`;
  }

  /** The column that counts interruptions. */
  get #interruptions(): Fragment | undefined {
    const { interruptions } = this.#is;
    if (interruptions === undefined) return undefined;
    return identifier(typeof interruptions === 'string' ? interruptions : interruptions.column);
  }

  /** Counts an interruption if the claimed row was claimed before and not released. */
  #nextInterruptions(): Fragment<Filter | Owner> | undefined {
    const { interruptions } = this.#is;
    const column = this.#interruptions;
    if (column === undefined) return undefined;
    if (typeof interruptions === 'object') return sql<Filter | Owner>`${column} = ${interruptions.next}`;
    return sql`${column} = CASE WHEN ${this.#isClaimed} THEN ${column} + 1 ELSE 0 END`;
  }

  get #isClaimed(): Fragment {
    const { isClaimed, times, fence } = this.#is;
    if (isClaimed !== undefined) return isClaimed;
    if (times.kind === 'shared' && fence.column !== undefined) return sql`${fence.column} IS NOT NULL`;
    return sql`${this.#until} IS NOT NULL`;
  }

  /** Is true of a row that this claim holds. Part of every statement that stores a result. */
  get isHeld(): Fragment<Owner> {
    const { fence, isOpen } = this.#is;
    const conditions: Fragment<Owner>[] = fence.isOwner === undefined ? [] : [fence.isOwner];
    conditions.push(this.#isClaimed);
    if (isOpen !== undefined) conditions.push(isOpen);
    return join(conditions, ' AND ');
  }

  /** Is true of a row that is due and not leased: waiting, or claimed by a process whose lease has expired. */
  get isDue(): Fragment<Filter> {
    const { times, isOpen } = this.#is;
    const isDue =
      times.kind === 'separate'
        ? sql<Filter>`${this.#dueAt} <= ${this.#now} AND (${this.#until} IS NULL OR ${this.#until} < ${this.#now})`
        : times.whenNull === 'due'
          ? sql<Filter>`(${this.#until} IS NULL OR ${this.#until} < ${this.#now})`
          : sql<Filter>`${this.#until} <= ${this.#now}`;
    return isOpen === undefined ? isDue : sql<Filter>`${isOpen} AND ${isDue}`;
  }

  /** Selects the keys of the rows to claim, and locks them. A claim of suspects is a selection of its own, which stops at its own limit. */
  #picks(): Fragment<Filter | 'limit'>[] {
    const { suspects } = this.#is;
    const column = this.#interruptions;
    if (suspects === undefined || column === undefined) return [this.pickWhere(undefined, sql`${LIMIT}`)];
    const usual = this.pickWhere(sql`${column} < ${SUSPECT_INTERRUPTIONS}`, sql`${LIMIT}`);
    if (suspects === 'none') return [usual];
    return [usual, this.pickWhere(sql`${column} >= ${SUSPECT_INTERRUPTIONS}`, sql`1`)];
  }

  /** Selects due rows for a claim: those that also meet `condition`, at most `limit`. */
  pickWhere<Name extends string = never>(
    condition: Fragment<Name> | undefined,
    limit: Fragment<Name>,
  ): Fragment<Filter | Name> {
    const { mayBeClaimed, order } = this.#is;
    const where = [this.isDue, mayBeClaimed, condition].filter((part) => part !== undefined);
    return sql<
      Filter | Name
    >`SELECT ${this.#keys} FROM ${this.#table} WHERE ${join<Filter | Name>(where, ' AND ')} ORDER BY ${order ?? this.#dueAt} LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED`;
  }

  /** Selects due rows for a claim, at most `limit`, so that workspaces take turns. */
  fairPick<Name extends string>(
    { workspace, order, first, ties, maxPerWorkspace, oneEach, isStillHeld }: Fairness<Name>,
    limit: Fragment<Name>,
  ): Fragment<Filter | Name> {
    const { isOpen, mayBeClaimed } = this.#is;
    const ofWorkspace = identifier(workspace);
    const isLeased = sql`${this.#until} >= now()`;
    const isHeld = isStillHeld === undefined ? isLeased : sql<Name>`(${isLeased} OR ${isStillHeld})`;
    const held = join<Name>([isHeld, this.#isClaimed, ...(isOpen === undefined ? [] : [isOpen])], ' AND ');
    const isFree: Fragment<Filter>[] = [this.isDue, ...(mayBeClaimed === undefined ? [] : [mayBeClaimed])];
    if (oneEach !== undefined) {
      const column = identifier(oneEach.column);
      isFree.push(sql`NOT EXISTS (SELECT FROM held WHERE held.${column} = ${this.#table}.${column})`);
    }
    const place =
      oneEach === undefined
        ? sql`1`
        : sql`row_number() OVER (PARTITION BY ${identifier(oneEach.column)} ORDER BY ${oneEach.order})`;
    const ranks = join(
      [sql`${first ?? sql`true`} AS rank_first`, ...ties.map((rank, at) => sql`${rank} AS ${text(`rank_${at}`)}`)],
      ', ',
    );
    const byRank = join(['rank_first DESC', 'turn', ...ties.map((_, at) => `rank_${at} NULLS FIRST`)].map(text), ', ');
    const isAllowed = maxPerWorkspace === undefined ? sql`true` : sql`turn <= ${maxPerWorkspace}`;
    return sql<Filter | Name>`
      WITH held AS (
        SELECT * FROM ${this.#table} WHERE ${held}
      ), busy AS (
        SELECT ${ofWorkspace}, count(*) AS held_rows FROM held GROUP BY ${ofWorkspace}
      ), free AS (
        SELECT *, ${place} AS place FROM ${this.#table} WHERE ${join<Filter>(isFree, ' AND ')}
      ), turns AS (
        SELECT ${this.#keys}, ${ranks}, coalesce(held_rows, 0) + row_number() OVER (PARTITION BY ${ofWorkspace} ORDER BY ${order}) AS turn
        FROM free LEFT JOIN busy USING (${ofWorkspace}) WHERE place = 1
      )
      SELECT ${this.#keys} FROM ${this.#table} WHERE (${this.#keys}) IN (
        SELECT ${this.#keys} FROM turns WHERE ${isAllowed} ORDER BY ${byRank} LIMIT ${limit}
      ) AND ${this.isDue} FOR NO KEY UPDATE SKIP LOCKED`;
  }

  /** The update of a claim: of the rows whose keys `picks` select and lock. Part of a larger statement, or of `claimStatement`. */
  claimOf<Name extends string>(...picks: readonly Fragment<Name>[]): Fragment<Name | Filter | Owner> {
    const { key, fence, attempts, onClaim, returning } = this.#is;
    const until = this.#is.claimedUntil ?? sql<Filter>`${this.#now} + make_interval(secs => ${this.#is.leaseSeconds})`;
    const assignments: Fragment<Filter | Owner>[] = [sql<Filter | Owner>`${this.#until} = ${until}`];
    if (fence.isOwner !== undefined) assignments.push(fence.isOwner);
    if (attempts !== undefined) assignments.push(sql`${identifier(attempts)} = ${identifier(attempts)} + 1`);
    const nextInterruptions = this.#nextInterruptions();
    if (nextInterruptions !== undefined) assignments.push(nextInterruptions);
    if (onClaim !== undefined) assignments.push(onClaim);
    const set = join(assignments, ', ');
    const columns = text(returning.text);
    const [single, ...more] = key;
    // An array, not a join: the planner cannot estimate how few rows are picked, and would scan the table.
    const arrays = picks.map((pick) => sql`ARRAY(${pick})`);
    if (more.length === 0)
      return sql<
        Name | Filter | Owner
      >`UPDATE ${this.#table} SET ${set} WHERE ${identifier(single)} = ANY (${join(arrays, ' || ')}) RETURNING ${columns}`;
    // Locks are not allowed in a part of a union, and are in a subquery of it.
    const pick = join(
      picks.map((part, at) => sql`SELECT * FROM (${part}) AS ${text(`pick_${at}`)}`),
      ' UNION ALL ',
    );
    const picked = join(
      key.map((_, at) => text(`key_${at}`)),
      ', ',
    );
    const isPicked = join(
      key.map((column, at) => sql`${identifier(column)} = key_${at}`),
      ' AND ',
    );
    return sql<
      Name | Filter | Owner
    >`WITH picked (${picked}) AS MATERIALIZED (${pick}) UPDATE ${this.#table} SET ${set} FROM picked WHERE ${isPicked} RETURNING ${columns}`;
  }

  /** Makes a claim of rows that are picked in another way than by `claim`. */
  claimStatement<Name extends string>(
    name: string,
    ...picks: readonly Fragment<Name>[]
  ): Statement<Row, Name | Filter | Owner> {
    return new Statement(name, this.claimOf(...picks));
  }

  /** Claims up to `limit` due rows under the fencing token `owner`. An attempt begins with each. */
  claim(db: Database, values: Readonly<Record<Filter | Owner | 'limit', unknown>>): Promise<Row[]> {
    return this.#claim.rows(db, values);
  }

  /** Renews the leases of claims. For a queue with one key column; `keys` is a list. @returns the keys that it still holds */
  async renew(db: Database, values: Readonly<Record<'keys' | Owner, unknown>>): Promise<Set<string>> {
    const rows = await this.#renew.rows(db, values);
    const [column] = this.#is.key;
    return new Set(rows.map((row) => row[column]));
  }

  /** Makes the statement that ends an attempt as failed: the row is due again after `seconds`. */
  retry<Name extends string = never>(
    name: string,
    set?: Fragment<Name>,
  ): Statement<Row, Key | Owner | Name | 'seconds'> {
    return this.release<Name | 'seconds'>(name, { dueAt: AFTER, isCounted: true, set });
  }

  /** Makes the statement that takes an attempt back: the row is due again after `seconds`, and the attempt is not counted. */
  postpone<Name extends string = never>(
    name: string,
    set?: Fragment<Name>,
  ): Statement<Row, Key | Owner | Name | 'seconds'> {
    return this.release<Name | 'seconds'>(name, { dueAt: AFTER, isCounted: false, set });
  }

  /** Makes a statement that ends a claim and lets the row wait until a time of its own. */
  release<Name extends string = never>(
    name: string,
    how: {
      readonly dueAt: Fragment<Name>;
      /** Whether the attempt counts. */
      readonly isCounted: boolean;
      readonly set?: Fragment<Name> | undefined;
    },
  ): Statement<Row, Key | Owner | Name> {
    const { times, attempts, onRelease } = this.#is;
    const assignments: Fragment<Name>[] = [sql`${this.#dueAt} = ${how.dueAt}`];
    if (times.kind === 'separate') assignments.push(sql`${this.#until} = NULL`);
    assignments.push(...this.#withoutOwner());
    if (!how.isCounted && attempts !== undefined)
      assignments.push(sql`${identifier(attempts)} = ${identifier(attempts)} - 1`);
    if (onRelease !== undefined) assignments.push(onRelease);
    if (how.set !== undefined) assignments.push(how.set);
    return this.update(name, join(assignments, ', '));
  }

  /** Makes the statement that ends the work: the row is never due again. */
  end<Name extends string = never>(name: string, set?: Fragment<Name>): Statement<Row, Key | Owner | Name> {
    return this.update(name, this.endOf(set));
  }

  /** The assignments that end the work, for a larger statement. */
  endOf<Name extends string = never>(set?: Fragment<Name>): Fragment<Name> {
    const times = this.#is.times.kind === 'separate' ? [this.#dueAt, this.#until] : [this.#until];
    const ends: Fragment<Name>[] = times.map((column) => sql`${column} = NULL`);
    ends.push(...this.#withoutOwner());
    if (set !== undefined) ends.push(set);
    return join(ends, ', ');
  }

  #withoutOwner(): Fragment[] {
    const { column } = this.#is.fence;
    return column === undefined ? [] : [sql`${column} = NULL`];
  }

  /** Makes the statement that stores progress: the lease is renewed, and earlier interruptions no longer count. */
  progress<Name extends string = never>(name: string, set?: Fragment<Name>): Statement<Row, Key | Owner | Name> {
    const column = this.#interruptions;
    const assignments: Fragment<Name>[] = [sql`${this.#until} = ${this.#renewed}`];
    if (column !== undefined) assignments.push(sql`${column} = 0`);
    if (set !== undefined) assignments.push(set);
    return this.update(name, join(assignments, ', '));
  }

  /** Makes a statement that changes a row only while this claim holds it. */
  update<Name extends string>(name: string, set: Fragment<Name>): Statement<Row, Key | Owner | Name> {
    return new Statement(
      name,
      sql<Key | Owner | Name>`UPDATE ${this.#table} SET ${set} WHERE ${this.#isRow} AND ${this.isHeld}`,
    );
  }

  /** Makes the statement that deletes a row while this claim holds it. */
  remove(name: string): Statement<Row, Key | Owner> {
    return new Statement(name, sql<Key | Owner>`DELETE FROM ${this.#table} WHERE ${this.#isRow} AND ${this.isHeld}`);
  }

  get #isRow(): Fragment<Key> {
    return join(
      this.#is.key.map((column) => sql`${identifier(column)} = ${param(column)}`),
      ' AND ',
    );
  }
}
