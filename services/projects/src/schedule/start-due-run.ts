import { newId, onOwnBehalf } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { StartRun } from '../runs/start-run.ts';
import type { DueClaim } from './due-run-store.ts';

/** Deadline of one start, ms. With the recording of its login it must end within the claim's lease. */
const START_DEADLINE_MS = 6_000;

/** Starts a due run under its claim's ID. Idempotent. A run that is due while its workspace is suspended is skipped. */
export type StartDueRun = (dueClaim: DueClaim) => Promise<void>;

export function makeStartDueRun(startRun: StartRun, isActive: (workspaceId: string) => Promise<boolean>): StartDueRun {
  /** @throws AppError not_found, conflict, validation, credits_exhausted, tier_limit, unavailable */
  return async ({ workspaceId, projectId, runId }) => {
    if (!(await isActive(workspaceId)))
      throw new AppError('conflict', 'the workspace was suspended when the run was due');
    const caller = onOwnBehalf('projects', workspaceId);
    const start = { trigger: 'schedule', runId, deadlineMs: START_DEADLINE_MS };
    await startRun({ caller, requestId: newId('req') }, projectId, start);
  };
}
