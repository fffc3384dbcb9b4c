import { ALL_PROJECTS, type Caller } from '@tidemark/contracts';
import { AppError, codeOf } from '@tidemark/errors';
import type { Run } from './domain/run/run.ts';
import type { AdoptStore } from './store/retention/adopt-store.ts';
import type { RunStore } from './store/runs/run-store.ts';

const UNIQUE_VIOLATION = '23505';

interface AdoptDeps {
  readonly runs: Pick<RunStore, 'find'>;
  readonly adoptions: Pick<AdoptStore, 'adopt'>;
}

/** Assigns a run without a project to a project. Safe to repeat. @throws AppError validation, not_found, conflict, unavailable */
export function makeAdoptRun({ runs, adoptions }: AdoptDeps) {
  return async ({ workspaceId }: Caller, id: string, projectId: string): Promise<Run> => {
    if (projectId === '') throw new AppError('validation', 'project_id: required to adopt a run');
    const isAdopted = await adoptions.adopt(workspaceId, id, projectId).catch((error: unknown) => {
      if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
      const why = 'this run and another run of the project are queued or running; try again once one of them has ended';
      throw new AppError('unavailable', why, { retryAfterSeconds: 15 });
    });
    const run = await runs.find({ workspaceId, access: ALL_PROJECTS }, id);
    // Still without a project: the run has expired, or the project is deleted.
    if (run === undefined || (!isAdopted && run.projectId === undefined)) {
      throw new AppError('not_found', 'there is no such run, or it has expired');
    }
    if (run.projectId !== projectId) throw new AppError('conflict', 'the run belongs to another project');
    return run;
  };
}
