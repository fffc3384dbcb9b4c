import { routes } from '@tidemark/api';
import { isId } from '@tidemark/contracts';
import { AccountServiceService as Rpc, type SignedIn } from '@tidemark/contracts/identity/v1/accounts';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { EndpointResponse } from '../../http/endpoint.ts';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import type { Authenticator } from '../../middleware/authenticate.ts';
import { WHOLE_LIST } from '../../requests/list-cursors.ts';
import { timeOf } from '../../responses/job-envelope.ts';
import { toSession } from '../../responses/session.ts';

interface Deps {
  readonly identity: Peer;
  readonly authenticator: Authenticator;
}

/** Longest call with a password hash: hashes wait for one another. */
export const HASHING = { deadlineMs: 20_000 };

/** Refuses to open a session in a browser that would not keep it: the sign-in would be silent and without effect. */
export function requireCookie({ keepsCookie }: { readonly keepsCookie: boolean }): void {
  if (!keepsCookie)
    throw new AppError(
      'validation',
      'browsers keep the session cookie over https and on localhost only; open this address with https (INSECURE_COOKIES=1 allows http in labs)',
      { httpStatus: 400 },
    );
}

/** Returns the response of a request that opened or changed a session, with its cookie. */
export function signedInResponse(
  signedIn: SignedIn | undefined,
  requestId: string,
): EndpointResponse<typeof routes.logIn> {
  const body = { ...toSession(signedIn?.session), creditsUsed: 0, request_id: requestId };
  return { status: 200, body, session: signedIn?.token ?? '' };
}

/** Endpoints that open, read and end sessions. */
export function sessionEndpoints({ identity, authenticator }: Deps): Endpoint[] {
  return [
    endpoint(routes.signUp, async ({ body, call, requestId }, { visitor }) => {
      requireCookie(visitor);
      const { client } = visitor;
      const { email, password, name, workspace_name: workspaceName = '', setup_token: setupToken = '' } = body;
      const signUp = { email, password, name, workspaceName, setupToken, client };
      const { signedIn } = await identity.call(Rpc.signUp, signUp, call, HASHING);
      return { ...signedInResponse(signedIn, requestId), status: 201 };
    }),
    endpoint(routes.logIn, async ({ body, call, requestId }, { visitor }) => {
      requireCookie(visitor);
      const { client } = visitor;
      const { email, password, code = '' } = body;
      const logIn = { email, password, code, client };
      const { signedIn } = await identity.call(Rpc.logIn, logIn, call, HASHING);
      return signedInResponse(signedIn, requestId);
    }),
    endpoint(routes.logOut, async ({ body, call }) => {
      await identity.call(Rpc.logOut, { everywhere: body.everywhere }, call);
      authenticator.clearCache();
      return { status: 204, session: '' };
    }),
    endpoint(routes.getSession, async ({ call, requestId }) => {
      const { session } = await identity.call(Rpc.getSession, {}, call);
      return { status: 200, body: { ...toSession(session), creditsUsed: 0, request_id: requestId } };
    }),
    endpoint(routes.switchWorkspace, async ({ body, call, requestId }) => {
      if (!isId('ws', body.workspace_id)) throw new AppError('not_found', 'workspace not found');
      const { signedIn } = await identity.call(Rpc.switchWorkspace, { workspaceId: body.workspace_id }, call);
      authenticator.clearCache();
      return signedInResponse(signedIn, requestId);
    }),
    ...listEndpoints({ identity, authenticator }),
  ];
}

function listEndpoints({ identity, authenticator }: Deps): Endpoint[] {
  return [
    endpoint(routes.listSessions, async ({ call, requestId }) => {
      const { sessions } = await identity.call(Rpc.listSessions, {}, call);
      const data = sessions.map(({ id, isCurrent, createdAt, lastSeenAt, ip, userAgent }) => ({
        id,
        current: isCurrent,
        createdAt: timeOf(createdAt),
        lastSeenAt: timeOf(lastSeenAt),
        ip,
        userAgent,
      }));
      return { status: 200, body: { data, ...WHOLE_LIST, creditsUsed: 0, request_id: requestId } };
    }),
    endpoint(routes.endSessions, async ({ query, auth, call }) => {
      const { id } = query;
      if (id !== undefined && !isId('ses', id)) throw new AppError('not_found', 'session not found');
      const sessions =
        id === undefined ? { $case: 'allOthers' as const, value: {} } : { $case: 'id' as const, value: id };
      await identity.call(Rpc.endSessions, { sessions }, call);
      authenticator.clearCache();
      return { status: 204, ...(id === auth.person?.sessionId ? { session: '' } : {}) };
    }),
  ];
}
