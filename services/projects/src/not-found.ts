import { AppError } from '@tidemark/errors';

/** The same for what is not there, another workspace's and what the key may not see. */
export const notFound = (): AppError => new AppError('not_found', 'there is no such project');
