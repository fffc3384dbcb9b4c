import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { anonymous, until } from '@tidemark/testkit';
import { type AccountServers, CLIENT } from './account-servers.ts';

/** Returns the calls about sessions, addresses and passwords. `of` returns the servers, which start after this call. */
export function accountCalls(of: () => AccountServers) {
  const authenticate = (token: string) => of().service.peer.call(Rpc.authenticateSession, { token }, anonymous());
  const sql = <Row extends object>(text: string, values: unknown[] = []) =>
    of().servers.database.sql<Row>(text, values);
  const reset = (token: string, password: string) =>
    of().service.peer.call(Rpc.resetPassword, { token, password, client: CLIENT }, anonymous());
  const verify = (token: string, more: { password?: string; sessionToken?: string } = {}) => {
    const request = { token, password: '', sessionToken: '', client: CLIENT, ...more };
    return of().service.peer.call(Rpc.verify, request, anonymous());
  };
  const lastToken = async (email: string, kind: string) =>
    (await of().mailsTo(email)).findLast((mail) => mail.kind === kind)?.token ?? '';
  /** Requests a reset link. @returns its token */
  async function resetToken(email: string): Promise<string> {
    const before = (await of().mailsTo(email)).length;
    await of().service.peer.call(Rpc.requestReset, { email, client: CLIENT }, anonymous());
    await until('the mail', async () => (await of().mailsTo(email)).length > before);
    return lastToken(email, 'reset');
  }
  return { authenticate, sql, reset, verify, lastToken, resetToken };
}
