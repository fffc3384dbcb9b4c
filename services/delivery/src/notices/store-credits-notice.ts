import type { CreditsLow } from '@tidemark/contracts/billing/v1/events';
import { inTransaction } from '@tidemark/service';
import type pg from 'pg';
import type { NoticeStore } from './notice-store.ts';

interface Deps {
  readonly pool: pg.Pool;
  readonly notices: Pick<NoticeStore, 'store'>;
  /** A mail host is configured: identity mails the alert. */
  readonly isMailOn: boolean;
  readonly now: () => Date;
}

/** Stores the notice of an alert of credits where no mail host is configured. Safe to repeat. */
export type StoreCreditsNotice = (creditsLow: CreditsLow) => Promise<void>;

export function makeStoreCreditsNotice({ pool, notices, isMailOn, now }: Deps): StoreCreditsNotice {
  return async ({ id, workspaceId, of, percent, remaining, resetsAt, at }) => {
    if (isMailOn) return;
    const what = of === 'welcome' ? 'welcome credits' : of;
    const left =
      remaining === undefined
        ? 'The overage has no cap.'
        : `${remaining.toLocaleString('en-US')} credits may still be used; then new work is refused.`;
    const next = resetsAt === undefined ? '' : ` The next period begins on ${resetsAt.toISOString().slice(0, 10)}.`;
    const notice = {
      ...({ key: `${id}:notice`, workspaceId, projectId: '', runId: '', kind: 'credits' } as const),

      title: `${percent} % of the ${what} used`,
      text: left + next,
      createdAt: at ?? now(),
    };
    await inTransaction(pool, (client) => notices.store(client, notice));
  };
}
