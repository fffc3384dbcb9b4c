import { AppError, messageOf } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import type pg from 'pg';
import { LIMITS } from '../domain/limits.ts';
import type { AttemptCounter } from '../store/attempt-counter.ts';
import { writeAudit } from '../store/audit-log.ts';
import type { MemberStore } from '../store/member-store.ts';
import type { SessionClient } from '../store/session-store.ts';

/** Entries that are written in the background; more are dropped. */
const MAX_PENDING = 100;

export interface RefusedSignIn {
  readonly reason: 'password' | 'code' | 'passkey';
  readonly client: SessionClient;
}

/** Records a refused sign-in to an account. */
export type RecordRefusal = (userId: string, refused: RefusedSignIn) => void;

/**
 * Makes the record of refused sign-ins in the audit logs of the account's workspaces. An entry has no actor, because the person is not
 * authenticated. Entries are limited to a number a day for each person and each workspace, so that guesses do not fill the log. They are written
 * after the response, so that its time does not depend on the account.
 */
export function makeRecordRefusal({
  pool,
  members,
  attempts,
  log,
}: {
  readonly pool: pg.Pool;
  readonly members: MemberStore;
  readonly attempts: AttemptCounter;
  readonly log: Logger;
}): RecordRefusal {
  let pending = 0;
  return (userId, refused) => {
    if (pending >= MAX_PENDING) return;
    pending += 1;
    void record(userId, refused)
      .catch((error: unknown) => log.warn({ err: messageOf(error), userId }, 'refused sign-in was not recorded'))
      .finally(() => {
        pending -= 1;
      });
  };

  async function record(userId: string, { reason, client }: RefusedSignIn): Promise<void> {
    if (!(await isWithin(LIMITS.refusalsOfPerson, userId))) return;
    for (const { workspaceId } of await members.workspacesOf(userId)) {
      if (!(await isWithin(LIMITS.refusalsOfWorkspace, workspaceId))) continue;
      await writeAudit(pool, {
        workspaceId,
        actorId: '',
        action: 'session.refused',
        subjectId: userId,

        detail: { reason },
        client,
      });
    }
  }

  async function isWithin(
    limit: (typeof LIMITS)['refusalsOfPerson' | 'refusalsOfWorkspace'],
    of: string,
  ): Promise<boolean> {
    try {
      await attempts.take([{ limit, of }]);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'rate_limited') return false;
      throw error;
    }
  }
}
