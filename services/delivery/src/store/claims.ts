import { randomUUID } from 'node:crypto';
import {
  ATTEMPT_POLICIES,
  type Fragment,
  fencedBy,
  LeasedQueue,
  param,
  returning,
  Statement,
  SUSPECT_INTERRUPTIONS,
  sql,
} from '@tidemark/leased-work';
import type { Sealer } from '@tidemark/sealing';
import type pg from 'pg';
import type { AttemptBy } from '../domain/delivery.ts';
import type { MessageReceiver } from '../domain/new-message.ts';

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

interface ClaimedRow {
  id: string;
  queue_key: string;
  workspace_id: string;
  project_id: string;
  event: string;
  kind: MessageReceiver['kind'];
  recipient: string;
  body: string;
  is_test: boolean;
  url: Buffer;
  attempts: number;
  tries: number;
  by: AttemptBy;
  interruptions: number;
  receiver_id: string;
  /** null: the receiver was deleted. */
  service: string | null;
  secret: Buffer | null;
  previous_secrets: Buffer[] | null;
  previous_untils: Date[] | null;
}

/** `next_at` states when a delivery is due, in progress and until when. */
const QUEUE = new LeasedQueue({
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
  isClaimed: sql`status = 'delivering'`,
  now: sql`${param('now')}::timestamptz`,
  order: sql`next_at, id`,
  onClaim: sql`status = 'delivering'`,
  returning: returning<ClaimedRow>(
    `id, queue_key, workspace_id, project_id, event, kind, recipient, body, is_test, url, attempts, tries, by,
      interrupted AS interruptions, receiver_id`,
  ),
});

/** The lease of a claim, ms. */
export const LEASE_MS = QUEUE.leaseSeconds * 1_000;

/** Makes a claim of the deliveries that `pick` selects, with their receivers. */
const claimWithReceivers = <Name extends string>(name: string, pick: Fragment<Name>) =>
  new Statement<ClaimedRow, Name | 'now' | 'owner'>(
    name,
    sql<Name | 'now' | 'owner'>`
      WITH claimed AS (${QUEUE.claimOf(pick)})
      SELECT c.*, r.service, r.secret, r.previous_secrets, r.previous_untils
      FROM claimed c LEFT JOIN receivers r ON r.id = c.receiver_id`,
  );

const CLAIM_DUE = claimWithReceivers(
  'claim-due',
  sql`SELECT due.id FROM unnest(${param('queueKeys')}::text[], ${param('slots')}::int[]) AS quota (queue_key, slots) CROSS JOIN LATERAL (
    ${QUEUE.pickWhere(sql`queue_key = quota.queue_key AND interrupted < ${SUSPECT_INTERRUPTIONS}`, sql`quota.slots`)}) due`,
);
const CLAIM_SUSPECT = claimWithReceivers(
  'claim-suspect',
  QUEUE.pickWhere(sql`interrupted >= ${SUSPECT_INTERRUPTIONS}`, sql`1`),
);
const CLAIM_ONE = claimWithReceivers('claim-one', QUEUE.pickWhere(sql`id = ${param('id')}`, sql`1`));

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
    const { rows } = await this.#pool.query<{ queue_key: string }>({
      name: 'due-queues',
      text: `
        WITH RECURSIVE first_of AS (
          (SELECT queue_key, next_at FROM deliveries WHERE next_at IS NOT NULL ORDER BY queue_key, next_at LIMIT 1)
          UNION ALL
          SELECT n.queue_key, n.next_at FROM first_of f CROSS JOIN LATERAL (
            SELECT queue_key, next_at FROM deliveries WHERE next_at IS NOT NULL AND queue_key > f.queue_key ORDER BY queue_key, next_at LIMIT 1) n)
        SELECT queue_key FROM first_of WHERE next_at <= $1 ORDER BY next_at LIMIT ${MAX_QUEUES}`,
      values: [now],
    });
    return rows.map(({ queue_key }) => queue_key);
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
    const [row] = await CLAIM_SUSPECT.rows(this.#pool, { owner, now });
    return row && this.#toClaimed(row, owner, now);
  }

  /** Claims one due delivery regardless of its queue's limit; undefined where it is claimed already. */
  async claimOne(id: string, now: Date): Promise<Claimed | undefined> {
    const owner = randomUUID();
    const [row] = await CLAIM_ONE.rows(this.#pool, { owner, now, id });
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
