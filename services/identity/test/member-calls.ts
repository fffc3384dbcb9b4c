import type { Role } from '@tidemark/contracts';
import { AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { anonymous } from '@tidemark/testkit';
import { type AccountServers, CLIENT, newEmail, PASSWORD, type SignedIn } from './account-servers.ts';

export const userId = ({ session }: SignedIn): string => session.user?.id ?? '';
export const workspaceOf = ({ session }: SignedIn): string => session.workspace?.id ?? '';

/** Returns the calls about members and invitations. `of` returns the servers, which start after this call. */
export function memberCalls(of: () => AccountServers) {
  const invite = async ({ call }: Pick<SignedIn, 'call'>, email: string, role: Role = 'member') => {
    const { invite: created, token = '' } = await of().service.peer.call(Rpc.createInvite, { email, role }, call);
    return { invite: created, token };
  };
  const accept = async (token: string, more: { name?: string; password?: string; sessionToken?: string } = {}) => {
    const request = { token, name: 'Bob', password: PASSWORD, sessionToken: '', client: CLIENT, ...more };
    const { signedIn } = await of().service.peer.call(Rpc.acceptInvite, request, anonymous());
    if (signedIn === undefined) throw new Error('identity opened no session');
    return signedIn;
  };
  const setRole = ({ call }: SignedIn, id: string, role: Role) =>
    of().service.peer.call(Rpc.updateMember, { userId: id, role }, call);
  const remove = ({ call }: SignedIn, id: string, revokeKeys = false) =>
    of().service.peer.call(Rpc.removeMember, { userId: id, revokeKeys }, call);
  const rolesOf = async ({ call }: SignedIn) =>
    (await of().service.peer.call(Rpc.listMembers, {}, call)).members.map(({ role }) => role).sort();
  const authenticate = (token: string) => of().service.peer.call(Rpc.authenticateSession, { token }, anonymous());
  /** Makes a new person a member of the owner's workspace. */
  async function join(owner: SignedIn, role: Role): Promise<SignedIn> {
    const { token } = await invite(owner, newEmail(), role === 'owner' ? 'admin' : role);
    const { token: session, session: view } = await accept(token);
    if (view === undefined) throw new Error('no session');
    const member = { token: session, session: view, call: of().callOf(view) };
    if (role === 'owner') await setRole(owner, userId(member), 'owner');
    return member;
  }
  return { invite, accept, setRole, remove, rolesOf, authenticate, join };
}
