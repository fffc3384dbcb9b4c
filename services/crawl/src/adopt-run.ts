import type { Caller } from '@tidemark/contracts';
import { AppError, codeOf } from '@tidemark/errors';
import type { Run } from './domain/run/run.ts';
import type { AdoptStore } from './store/retention/adopt-store.ts';
import type { RunStore } from './store/runs/run-store.ts';

const UNIQUE_VIOLATION = '23505';

interface AdoptDeps {
  readonly runs: Pick<RunStore, 'find'>;
  readonly adoptions: Pick<AdoptStore, 'adopt'>;
}

/** Makes a run without a project that project's. Safe to repeat. @throws AppError validation, not_found, conflict, unavailable */
export function makeAdoptRun({ runs, adoptions }: AdoptDeps) {
  return async ({ workspaceId }: Caller, id: string, projectId: string): Promise<Run> => {
    if (projectId === '') throw new AppError('validation', 'project_id: a run is kept by a project');
    const isAdopted = await adoptions.adopt(workspaceId, id, projectId).catch((error: unknown) => {
      if (codeOf(error) !== UNIQUE_VIOLATION) throw error;
      const why =
        'a run of this project is queued or running, and so is the one to be kept; ask again once it has ended';
      throw new AppError('unavailable', why, { retryAfterSeconds: 15 });
    });
    const run = await runs.find({ workspaceId, projects: [] }, id);
    // A run that still is nobody's could not be kept: its day is over, or the project is deleted.
    if (run === undefined || (!isAdopted && run.projectId === undefined)) {
      throw new AppError('not_found', 'there is no such run, or its day is over');
    }
    if (run.projectId !== projectId) throw new AppError('conflict', 'the run is kept by another project');
    return run;
  };
}
