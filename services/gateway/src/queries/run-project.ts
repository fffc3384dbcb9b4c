import type { Run } from '@tidemark/contracts/crawl/v1/crawl';
import { AppError } from '@tidemark/errors';

/** Returns the project of a run that was read as a run of a project. */
export function projectIdOf({ id, projectId }: Pick<Run, 'id' | 'projectId'>): string {
  if (projectId === undefined) throw new AppError('internal', `the run ${id} belongs to no project`);
  return projectId;
}
