import { CHARGE_KINDS } from '@tidemark/api';
import type { StatementResponse } from '@tidemark/contracts/billing/v1/billing';
import { timeOf } from './job-envelope.ts';

const isKind = (kind: string): kind is (typeof CHARGE_KINDS)[number] => CHARGE_KINDS.some((known) => known === kind);

/** Names the key or the person that an id is of. */
export const actorOf = (id: string) => ({
  keyId: id.startsWith('key_') ? id : null,
  memberId: id.startsWith('usr_') ? id : null,
});

/** Translates the month of a workspace: its bounds, the spend by kind and the latest charges. */
export function toMonth({ startsAt, endsAt, byKind, charges }: StatementResponse) {
  return {
    period: { start: timeOf(startsAt), end: timeOf(endsAt) },
    byKind: byKind.flatMap(({ kind, pages, credits }) => (isKind(kind) ? [{ kind, pages, credits }] : [])),
    charges: charges.flatMap(({ at, kind, ref, credits, actorId }) =>
      isKind(kind) ? [{ at: timeOf(at), kind, ref, credits, ...actorOf(actorId) }] : [],
    ),
  };
}
