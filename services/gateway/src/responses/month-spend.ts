import { CHARGE_KINDS } from '@tidemark/api';
import type { KindSpend, StatementResponse, UsageResponse } from '@tidemark/contracts/billing/v1/billing';
import { timeOf } from './job-envelope.ts';

const isKind = (kind: string): kind is (typeof CHARGE_KINDS)[number] => CHARGE_KINDS.some((known) => known === kind);

/** Names the key or the person that an id is of. */
export const actorOf = (id: string) => ({
  keyId: id.startsWith('key_') ? id : null,
  memberId: id.startsWith('usr_') ? id : null,
});

const toKinds = (byKind: readonly KindSpend[]) =>
  byKind.flatMap(({ kind, pages, credits }) => (isKind(kind) ? [{ kind, pages, credits }] : []));

/** Translates the month of a workspace: its bounds, the spend by kind and the latest charges. */
export function toMonth({ startsAt, endsAt, byKind, charges }: StatementResponse) {
  return {
    period: { start: timeOf(startsAt), end: timeOf(endsAt) },
    byKind: toKinds(byKind),
    charges: charges.flatMap(({ at, kind, ref, credits, actorId }) =>
      isKind(kind) ? [{ at: timeOf(at), kind, ref, credits, ...actorOf(actorId) }] : [],
    ),
  };
}

/** Translates what a workspace used in a month, by kind, by key and by project. */
export const toMonthUsage = ({ monthPages, monthCredits, byKind, byActor, byProject, tokens }: UsageResponse) => ({
  ...{ pages: monthPages, credits: monthCredits, byKind: toKinds(byKind) },
  byKey: byActor.map(({ actorId, ...used }) => ({ ...actorOf(actorId), ...used })),
  byProject: byProject.map(({ projectId, ...used }) => ({ projectId: projectId || null, ...used })),
  tokens: tokens.flatMap(({ kind, ...used }) =>
    kind === 'extraction' || kind === 'digest' ? [{ kind, ...used }] : [],
  ),
});
