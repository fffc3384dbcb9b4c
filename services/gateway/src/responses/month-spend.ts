import { CHARGE_KINDS, TOKEN_KINDS } from '@tidemark/api';
import { actorOf, allowsProject, type Caller, textOrEmpty } from '@tidemark/contracts';
import type { KindSpend, SpendLimit, StatementResponse, UsageResponse } from '@tidemark/contracts/billing/v1/billing';
import { timeOf } from './job-envelope.ts';
import { oneOf } from './one-of.ts';

const isKind = (kind: string): kind is (typeof CHARGE_KINDS)[number] => CHARGE_KINDS.some((known) => known === kind);

/** Names the key or the person that an id is of. */
export const keyOrMember = (id: string | undefined) => ({
  keyId: id?.startsWith('key_') ? id : null,
  memberId: id?.startsWith('usr_') ? id : null,
});

/** Translates spend limits. */
export const toLimits = (limits: readonly SpendLimit[]) =>
  limits.map(({ subjectId, credits, used }) => ({
    ...keyOrMember(subjectId),

    projectId: subjectId.startsWith('prj_') ? subjectId : null,
    credits,
    used,
  }));

/** Translates the spend limits that a caller may see: a key that is restricted to projects sees its own limit and those of its projects. */
export const toVisibleLimits = (limits: readonly SpendLimit[], caller: Caller) =>
  toLimits(limits.filter(({ subjectId }) => subjectId === actorOf(caller) || allowsProject(caller.access, subjectId)));

const toKinds = (byKind: readonly KindSpend[]) =>
  byKind.flatMap(({ kind, pages, credits }) => (isKind(kind) ? [{ kind, pages, credits }] : []));

/** Translates the month of a workspace for `readerId`: its bounds, the spend by kind and the latest charges. */
export function toMonth({ startsAt, endsAt, byKind, charges }: StatementResponse, readerId: string) {
  return {
    period: { start: timeOf(startsAt), end: timeOf(endsAt) },
    byKind: toKinds(byKind),
    charges: charges.flatMap(({ at, kind, ref, credits, actorId, workspaceId }) => {
      if (!isKind(kind)) return [];
      const subAccountId = workspaceId === readerId ? null : workspaceId;
      return [{ at: timeOf(at), kind, ref, credits, ...keyOrMember(actorId), subAccountId }];
    }),
  };
}

/** Translates what each key and person used. Work that services did on their own behalf is one entry without either. */
function toKeyUsage(byActor: UsageResponse['byActor']) {
  const [started, own] = [true, false].map((isStarted) =>
    byActor.filter(({ actorId }) => /^(key|usr)_/.test(textOrEmpty(actorId)) === isStarted),
  );
  const rows = (started ?? []).map(({ actorId, pages, credits }) => ({ ...keyOrMember(actorId), pages, credits }));
  if (own === undefined || own.length === 0) return rows;
  const sum = (of: 'pages' | 'credits') => own.reduce((total, each) => total + each[of], 0);
  return [...rows, { keyId: null, memberId: null, pages: sum('pages'), credits: sum('credits') }];
}

/** Translates what a workspace used in a month, by kind, by key and by project. A key that is restricted to projects sees its own alone. */
export function toMonthUsage(usage: UsageResponse, caller: Caller) {
  const { access } = caller;
  const byActor = usage.byActor.filter(({ actorId }) => access.kind === 'all' || actorId === actorOf(caller));
  const byProject = usage.byProject.filter(({ projectId }) => allowsProject(access, textOrEmpty(projectId)));
  return {
    pages: usage.monthPages,
    credits: usage.monthCredits,
    byKind: toKinds(usage.byKind),
    byKey: toKeyUsage(byActor),
    byProject: byProject.map(({ projectId, ...used }) => ({ projectId: projectId ?? null, ...used })),
    tokens: usage.tokens.map(({ kind, ...used }) => ({ kind: oneOf(TOKEN_KINDS, kind), ...used })),
  };
}
