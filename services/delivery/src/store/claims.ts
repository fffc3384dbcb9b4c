import { randomUUID } from 'node:crypto';
import { ATTEMPT_POLICIES, fencedBy, LeasedQueue, SUSPECT_INTERRUPTIONS } from '@tidemark/leased-work';
import type { Sealer } from '@tidemark/sealing';
import { column, nullable, type Params, type RawBuilder, type RowOf, sql, stateOf } from '@tidemark/sql';
import type pg from 'pg';
import { type AttemptBy, DELIVERY_TRANSITIONS } from '../domain/delivery.ts';
import type { MessageReceiver } from '../domain/new-message.ts';
import { schema } from './tables.ts';

/** Receiver queues per poll; the longest overdue come first. */
const MAX_QUEUES = 10_000;

/** A delivery claimed by this instance until its lease expires. */
export interface Claimed {
  readonly id: string;
  /** Fencing token of this claim; a result is stored only under it. */
  readonly token: string;
  readonly queueKey: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly event: string;
  readonly kind: MessageReceiver['kind'];
  readonly recipient: string;
  readonly body: string;
  readonly isTest: boolean;
  readonly attempts: number;
  readonly tries: number;
  readonly by: AttemptBy;
  /** Attempts in a row that were interrupted. */
  readonly interruptions: number;
  readonly receiverId: string;
  /** Absent: the receiver was deleted. */
  readonly receiver: SealedReceiver | undefined;
}

/** The address of a delivery and its receiver's secrets, opened per attempt: one that can't be opened affects no other delivery. */
export interface SealedReceiver {
  readonly service: string;
  /** @throws Error where its sealing key is lost */
  open(): { readonly url: string; readonly secrets: readonly string[] };
}

/** Deliveries of a receiver queue that may be claimed. */
export interface ClaimQuota {
  readonly queueKey: string;
  readonly slots: number;
}

const COLUMNS = {
  id: column('text'),
  queue_key: column('text'),
  workspace_id: column('text'),
  project_id: column('text'),
  event: column('text'),
  kind: stateOf<MessageReceiver['kind']>(),
  recipient: column('text'),
  body: column('text'),
  is_test: column('bool'),
  url: column('bytea'),
  attempts: column('int4'),
  tries: column('int4'),
  by: stateOf<AttemptBy>(),
  interruptions: column('int4'),
  receiver_id: column('text'),
};
/** Null: the receiver was deleted. */
const RECEIVER_COLUMNS = {
  service: nullable('text'),
  secret: nullable('bytea'),
  previous_secrets: nullable('bytea[]'),
  previous_untils: nullable('timestamptz[]'),
};
const CLAIMED_COLUMNS = { ...COLUMNS, ...RECEIVER_COLUMNS };
type ClaimedRow = RowOf<typeof CLAIMED_COLUMNS>;

const DELIVERING = sql.lit(DELIVERY_TRANSITIONS.claim.to);

/** `next_at` states when a delivery is due, in progress and until when. */
const QUEUE = new LeasedQueue({
  schema,
  name: 'deliveries',
  table: 'deliveries',
  key: ['id'],
  times: { kind: 'shared', at: 'next_at', whenNull: 'never_due' },
  fence: fencedBy('owner'),
  interruptions: 'interrupted',
  // Exceeds the timeout of an attempt.
  leaseSeconds: 45,
  policy: ATTEMPT_POLICIES['delivery.deliveries'],
  isOpen: sql`next_at IS NOT NULL`,
  isClaimed: sql`status = ${DELIVERING}`,
  now: ({ now }: Params<{ readonly now: Date }>) => sql`${now}::timestamptz`,
  order: sql`next_at, id`,
  onClaim: sql`status = ${DELIVERING}`,
  columns: COLUMNS,
  returning: sql`id, queue_key, workspace_id, project_id, event, kind, recipient, body, is_test, url, attempts, tries, by,
    interrupted AS interruptions, receiver_id`,
});

/** The lease of a claim, ms. */
export const LEASE_MS = QUEUE.leaseSeconds * 1_000;

interface ClaimValues {
  readonly owner: string;
  readonly now: Date;
}

/** Claims the deliveries that `pick` selects, and returns them with their receivers. */
const claimWithReceivers = (pick: RawBuilder<unknown>) => sql`
  WITH claimed AS (${QUEUE.claimOf(pick)})
  SELECT c.*, r.service, r.secret, r.previous_secrets, r.previous_untils
  FROM claimed c LEFT JOIN receivers r ON r.id = c.receiver_id`;
const MANY = sql.lit(SUSPECT_INTERRUPTIONS);

const CLAIM_DUE = schema.prepareText(
  'claim-due',
  CLAIMED_COLUMNS,
  ({
    queueKeys,
    slots,
  }: Params<ClaimValues & { readonly queueKeys: readonly string[]; readonly slots: readonly number[] }>) =>
    claimWithReceivers(sql`
      SELECT due.id FROM unnest(${queueKeys}::text[], ${slots}::int[]) AS quota (queue_key, slots) CROSS JOIN LATERAL (
        ${QUEUE.pickWhere(sql`queue_key = quota.queue_key AND interrupted < ${MANY}`, sql`quota.slots`)}) due`),
);
const CLAIM_SUSPECT = schema.prepareText('claim-suspect', CLAIMED_COLUMNS, (_: Params<ClaimValues>) =>
  claimWithReceivers(QUEUE.pickWhere(sql`interrupted >= ${MANY}`, sql`1`)),
);
const CLAIM_ONE = schema.prepareText(
  'claim-one',
  CLAIMED_COLUMNS,
  ({ id }: Params<ClaimValues & { readonly id: string }>) =>
    claimWithReceivers(QUEUE.pickWhere(sql`id = ${id}`, sql`1`)),
);

const DUE_QUEUES = schema.prepareText(
  'due-queues',
  { queue_key: column('text') },
  ({ now }: Params<{ readonly now: Date }>) => sql`
    WITH RECURSIVE first_of AS (
      (SELECT queue_key, next_at FROM deliveries WHERE next_at IS NOT NULL ORDER BY queue_key, next_at LIMIT 1)
      UNION ALL
      SELECT n.queue_key, n.next_at FROM first_of f CROSS JOIN LATERAL (
        SELECT queue_key, next_at FROM deliveries WHERE next_at IS NOT NULL AND queue_key > f.queue_key ORDER BY queue_key, next_at LIMIT 1) n)
    SELECT queue_key FROM first_of WHERE next_at <= ${now} ORDER BY next_at LIMIT ${sql.lit(MAX_QUEUES)}`,
);

/** Claims deliveries that are due or whose claim has expired; `next_at` holds either time. */
export class Claims {
  readonly #pool: pg.Pool;
  readonly #sealer: Sealer;

  constructor(pool: pg.Pool, sealer: Sealer) {
    this.#pool = pool;
    this.#sealer = sealer;
  }

  /** Returns the receiver queues with something due, by an index skip scan: its cost does not depend on the length of the queues. */
  async dueQueues(now: Date): Promise<readonly string[]> {
    return (await DUE_QUEUES.rows(this.#pool, { now })).map(({ queue_key }) => queue_key);
  }

  /** Claims due deliveries of these receiver queues, the longest overdue first. */
  async claim(quotas: readonly ClaimQuota[], now: Date): Promise<readonly Claimed[]> {
    const owner = randomUUID();
    const rows = await CLAIM_DUE.rows(this.#pool, {
      owner,
      now,
      queueKeys: quotas.map(({ queueKey }) => queueKey),
      slots: quotas.map(({ slots }) => slots),
    });
    return rows.map((row) => this.#toClaimed(row, owner, now));
  }

  /** Claims one due delivery that was interrupted several times in a row: it may be what ends the process. */
  async claimSuspect(now: Date): Promise<Claimed | undefined> {
    const owner = randomUUID();
    const row = await CLAIM_SUSPECT.row(this.#pool, { owner, now });
    return row && this.#toClaimed(row, owner, now);
  }

  /** Claims one due delivery regardless of its queue's limit; undefined where it is claimed already. */
  async claimOne(id: string, now: Date): Promise<Claimed | undefined> {
    const owner = randomUUID();
    const row = await CLAIM_ONE.row(this.#pool, { owner, now, id });
    return row && this.#toClaimed(row, owner, now);
  }

  #toClaimed(row: ClaimedRow, token: string, now: Date): Claimed {
    const { id, queue_key: queueKey, event, kind, recipient, body, attempts, tries, by, interruptions } = row;
    const ids = { receiverId: row.receiver_id, workspaceId: row.workspace_id, projectId: row.project_id };
    const receiver = row.service === null ? undefined : this.#receiverOf(row, row.service, now);
    const message = { event, kind, recipient, body, isTest: row.is_test };
    return { id, token, queueKey, ...ids, ...message, attempts, tries, by, interruptions, receiver };
  }

  #receiverOf(row: ClaimedRow, service: string, now: Date): SealedReceiver {
    const { receiver_id: id, secret, previous_secrets, previous_untils } = row;
    const previous = (previous_secrets ?? []).filter((_, at) => (previous_untils?.[at] ?? now) > now);
    const open = () => ({
      url: this.#sealer.open(row.url, row.id),
      secrets: [
        ...(secret === null ? [] : [this.#sealer.open(secret, id)]),
        ...previous.flatMap((one) => this.#openedOf(one, id)),
      ],
    });
    return { service, open };
  }

  /** Opens a previous secret; none where its sealing key is lost. */
  #openedOf(sealed: Buffer, id: string): string[] {
    try {
      return [this.#sealer.open(sealed, id)];
    } catch {
      return [];
    }
  }
}
