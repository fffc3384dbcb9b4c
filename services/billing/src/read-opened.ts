import { AppError } from '@tidemark/errors';
import type { OpenAccount } from './open-account.ts';

/**
 * Reads something of an account, which is opened first if the workspace has none. @throws AppError not_found for a workspace that does not
 * exist
 */
export type ReadOpened = <T>(workspaceId: string, read: () => Promise<T | undefined>) => Promise<T>;

export function makeReadOpened(openAccount: OpenAccount): ReadOpened {
  return async (workspaceId, read) => {
    const found = await read();
    if (found !== undefined) return found;
    if (!(await openAccount(workspaceId))) throw new AppError('not_found', 'workspace not found');
    const opened = await read();
    if (opened === undefined) throw new AppError('internal', 'the account could not be opened');
    return opened;
  };
}
