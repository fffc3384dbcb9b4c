import { AppError } from '@tidemark/errors';

/** The same error for a project that does not exist, that belongs to another workspace and that the key may not see. */
export const noSuchProject = (): AppError => new AppError('not_found', 'project not found');

export const noSuchRun = (): AppError => new AppError('not_found', 'run not found');
