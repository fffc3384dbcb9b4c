import { events } from '@tidemark/contracts';
import { inTransaction, type Outbox, type OutgoingEvent, outgoingEvent, writeEvents } from '@tidemark/service';
import type pg from 'pg';
import { GRACE_MS } from '../../states/subscription-state.ts';
import type { SubscriptionRow } from '../store/subscription-row.ts';
import type { SubscriptionStore } from '../store/subscription-store.ts';

/** Returns the row with the time at which its renewal was found unpaid; without it once the renewal is paid. */
export function withReminders(row: SubscriptionRow, now: Date): SubscriptionRow {
  if (row.state === 'active') return { ...row, pastDueAt: null, reminders: 0 };
  if (row.state !== 'past_due' || row.pastDueAt !== null) return row;
  return { ...row, pastDueAt: now, reminders: 1 };
}

/** Writes the event of the first day of an unpaid renewal, and of the end of the plan after it. @returns the event to send after the commit */
export async function writeUnpaid(
  db: pg.PoolClient,
  before: SubscriptionRow,
  row: SubscriptionRow,
): Promise<OutgoingEvent | undefined> {
  const isFirst = row.state === 'past_due' && before.pastDueAt === null;
  const hasEnded = row.state === 'ended' && before.state === 'past_due';
  if (!isFirst && !(hasEnded && !row.cancelAtEnd)) return undefined;
  const event = unpaidEvent(row, hasEnded);
  await writeEvents(db, [event]);
  return event;
}

/** Sends the reminders of unpaid renewals that are due: one and three days after the first. Each is written once. */
export type RemindUnpaid = () => Promise<void>;

export function makeRemindUnpaid({
  pool,
  subscriptions,
  outbox,
  now,
}: {
  readonly pool: pg.Pool;
  readonly subscriptions: SubscriptionStore;
  readonly outbox: Pick<Outbox, 'send'>;
  readonly now: () => Date;
}): RemindUnpaid {
  return async () => {
    const outgoing = await inTransaction(pool, async (db) => {
      const rows = await subscriptions.remind(db, now());
      const written = rows.map((row) => unpaidEvent(row, false));
      await writeEvents(db, written);
      return written;
    });
    if (outgoing.length > 0) outbox.send(outgoing);
  };
}

function unpaidEvent(row: SubscriptionRow, hasEnded: boolean): OutgoingEvent {
  const { id: subscriptionId, workspaceId, plan, currency, grossMinor, paidUntil, reminders } = row;
  const since = paidUntil ?? row.createdAt;
  const id = `renewal-unpaid:${subscriptionId}:${since.toISOString()}:${hasEnded ? 'ended' : reminders}`;
  return outgoingEvent(events.renewalUnpaid, id, {
    id,
    workspaceId,
    plan,
    currency,
    amountMinor: Number(grossMinor),
    hasEnded,

    endsAt: new Date(since.getTime() + GRACE_MS),
    at: new Date(),
  });
}
