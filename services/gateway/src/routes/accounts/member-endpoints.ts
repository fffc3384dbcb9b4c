import { MEMBER_ROLES, routes } from '@tidemark/api';
import { PaymentServiceService as Payments } from '@tidemark/contracts/billing/v1/payments';
import { type Invite, type Member, AccountServiceService as Rpc } from '@tidemark/contracts/identity/v1/accounts';
import { IdentityServiceService as Identity } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import type { Authenticator } from '../../middleware/authenticate.ts';
import { checkedId } from '../../requests/checked-id.ts';
import { WHOLE_LIST } from '../../requests/list-cursors.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { oneOf } from '../../responses/one-of.ts';
import { toDetails } from '../billing/payment-response.ts';
import { HASHING, requireCookie, signedInResponse } from './session-endpoints.ts';

interface Deps {
  readonly identity: Peer;
  readonly billing: Peer;
  readonly authenticator: Authenticator;
}

const toMember = ({
  userId: id,
  name,
  email,
  isEmailVerified: emailVerified,
  role,
  hasFactor,
  joinedAt,
  lastSeenAt,
}: Member) => ({
  id,
  name,
  email,
  emailVerified,
  role: oneOf(MEMBER_ROLES, role),
  twoFactor: hasFactor,
  joinedAt: timeOf(joinedAt),
  lastSeenAt: lastSeenAt?.toISOString() ?? null,
});

const toInvite = ({ id, email, role, invitedBy, expiresAt }: Invite) => ({
  id,
  email,
  role: oneOf(MEMBER_ROLES, role),
  invitedBy,
  expiresAt: timeOf(expiresAt),
});

/** Endpoints of the members of a workspace. */
export function memberEndpoints({ identity, billing, authenticator }: Deps): Endpoint[] {
  return [
    endpoint(routes.listMembers, async ({ call, requestId }) => {
      const { members, invites } = await identity.call(Rpc.listMembers, {}, call);
      const lists = { data: members.map(toMember), invites: invites.map(toInvite) };
      return { status: 200, body: { ...lists, ...WHOLE_LIST, creditsUsed: 0, request_id: requestId } };
    }),
    endpoint(routes.patchMember, async ({ params, body, call, requestId }) => {
      const userId = checkedId('usr', params.user, 'member');
      const { member } = await identity.call(Rpc.updateMember, { userId, role: body.role }, call);
      if (member === undefined) throw new AppError('internal', 'identity returned no member');
      authenticator.clearCache();
      return { status: 200, body: { ...toMember(member), creditsUsed: 0, request_id: requestId } };
    }),
    endpoint(routes.removeMember, async ({ params, query, call }) => {
      const userId = checkedId('usr', params.user, 'member');
      await identity.call(Rpc.removeMember, { userId, revokeKeys: query.revoke_keys === 'true' }, call);
      authenticator.clearCache();
      return { status: 204 };
    }),
    endpoint(routes.deleteWorkspace, async ({ query, call }) => {
      await identity.call(Rpc.deleteWorkspace, { name: query.name }, call);
      authenticator.clearCache();
      return { status: 204 };
    }),
    endpoint(routes.patchWorkspace, async ({ body, call, requestId }) => {
      const { name: newName, billing_details: details } = body;
      if (newName === undefined && details === undefined)
        throw new AppError('validation', 'expected name or billing_details', { httpStatus: 400 });
      if (details !== undefined) await billing.call(Payments.setBillingDetails, { details: toDetails(details) }, call);
      const change = { name: newName, maxRpm: undefined, requireSecondFactor: undefined };
      const { workspace } = await identity.call(Identity.updateWorkspace, change, call);
      if (workspace === undefined) throw new AppError('internal', 'identity returned no workspace');
      const { id, name } = workspace;
      return {
        status: 200,
        body: { id, name, billingDetails: details ?? null, creditsUsed: 0, request_id: requestId },
      };
    }),
    ...inviteEndpoints({ identity, authenticator }),
  ];
}

function inviteEndpoints({ identity, authenticator }: Omit<Deps, 'billing'>): Endpoint[] {
  return [
    endpoint(routes.createInvite, async ({ body, call, requestId }, { fixedOrigin }) => {
      const { invite, token } = await identity.call(Rpc.createInvite, body, call);
      if (invite === undefined) throw new AppError('internal', 'identity returned no invitation');
      // The token is behind the `#`, so that it is in no log of a server.
      const link = token === undefined ? {} : { link: `${fixedOrigin}/auth/invite#${token}` };
      return { status: 201, body: { ...toInvite(invite), ...link, creditsUsed: 0, request_id: requestId } };
    }),
    endpoint(routes.revokeInvite, async ({ params, call }) => {
      await identity.call(Rpc.revokeInvite, { id: checkedId('ivt', params.id, 'invitation') }, call);
      return { status: 204 };
    }),
    endpoint(routes.readInvite, async ({ params, call, requestId }) => {
      const invite = await identity.call(Rpc.readInvite, { token: params.id.slice(0, 128) }, call);
      const { workspaceName: name, role, email, expiresAt } = invite;
      const view = { workspace: { name }, role: oneOf(MEMBER_ROLES, role), email, expiresAt: timeOf(expiresAt) };
      return { status: 200, body: { ...view, creditsUsed: 0, request_id: requestId } };
    }),
    endpoint(routes.acceptInvite, async ({ body, call, requestId }, { visitor }) => {
      requireCookie(visitor);
      const { client, sessionToken } = visitor;
      const { token, name = '', password = '' } = body;
      const accept = { token, name, password, sessionToken, client };
      const { signedIn } = await identity.call(Rpc.acceptInvite, accept, call, HASHING);
      authenticator.clearCache();
      return signedInResponse(signedIn, requestId);
    }),
  ];
}
