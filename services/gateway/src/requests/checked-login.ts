import { LoginId } from '@tidemark/api';
import { LoginServiceService as Rpc } from '@tidemark/contracts/scrape/v1/logins';
import { AppError } from '@tidemark/errors';
import { type CallContext, callerOf, type Peer } from '@tidemark/service';
import { noSuchId } from './checked-id.ts';

const NO_LOGIN = 'there is no such saved login; nothing is fetched signed out';

/** Returns the id of a saved login. @throws AppError not_found if it is not well-formed */
export function checkedLoginId(id: string): string {
  if (!LoginId.safeParse(id).success) throw noSuchId('lgn', id, 'saved login');
  return id;
}

/**
 * Rejects a config whose saved login does not exist, or that the key may not see: a key restricted to projects sees logins only
 * through its projects. Empty: the config names none.
 * @throws AppError not_found
 */
export async function requireLogin(
  scrape: Pick<Peer, 'call'>,
  loginId: string | undefined,
  call: CallContext,
): Promise<void> {
  if (loginId === undefined) return;
  const isVisible = callerOf(call).access.kind === 'all' && (await exists(scrape, loginId, call));
  if (isVisible) return;
  const msg = `config.login_id: ${NO_LOGIN}`;
  throw new AppError('not_found', msg, { detail: [{ loc: ['body', 'config', 'login_id'], msg, type: 'not_found' }] });
}

async function exists(scrape: Pick<Peer, 'call'>, id: string, call: CallContext): Promise<boolean> {
  try {
    await scrape.call(Rpc.getLogin, { id, namedByProject: false }, call);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return false;
    throw error;
  }
}
