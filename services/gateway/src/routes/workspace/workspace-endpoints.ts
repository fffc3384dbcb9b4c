import { routes } from '@tidemark/api';
import type { Catalogue } from '@tidemark/catalogue';
import { actorOf, projectLimitOf, SCOPES, scopeIncludes } from '@tidemark/contracts';
import { BillingServiceService as BillingRpc } from '@tidemark/contracts/billing/v1/billing';
import { IdentityServiceService as IdentityRpc, type Workspace } from '@tidemark/contracts/identity/v1/identity';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import type { EndpointRequest } from '../../http/endpoint.ts';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import type { Authenticator } from '../../middleware/authenticate.ts';
import { type Authenticated, requireCaller } from '../../middleware/authenticated.ts';
import { toMonthUsage, toVisibleLimits } from '../../responses/month-spend.ts';
import { canOf } from '../../responses/session.ts';

interface Deps {
  readonly identity: Peer;
  readonly billing: Peer;
  readonly plans: Catalogue['plans'];
  readonly authenticator: Authenticator;
}

export function workspaceEndpoints({ identity, billing, plans, authenticator }: Deps): Endpoint[] {
  async function view(
    workspace: Workspace | undefined,
    { auth, call, requestId }: Pick<EndpointRequest<unknown, unknown, unknown>, 'auth' | 'call' | 'requestId'>,
  ) {
    if (workspace === undefined) throw new AppError('internal', 'identity returned no workspace');
    const { visibleBalance, reserved, usedThisMonth } = await billing.call(BillingRpc.balance, {}, call);
    const plan = plans[workspace.plan];
    const planRpm = plan?.rpm ?? 60;
    // A sub-account has none of its own.
    const subAccounts = workspace.parentId === undefined ? (plan?.subAccounts ?? 0) : 0;
    return {
      id: workspace.id,
      name: workspace.name,
      plan: workspace.plan,
      createdAt: (workspace.createdAt ?? new Date(0)).toISOString(),
      settings: { max_rpm: workspace.maxRpm ?? null, require_second_factor: workspace.requireSecondFactor },
      limits: { rpm: Math.min(auth.rpm, workspace.maxRpm ?? planRpm), subAccounts },
      credits: { remaining: visibleBalance ?? null, reserved, usedThisMonth },
      ...callerView(auth),
      creditsUsed: 0,
      request_id: requestId,
    };
  }

  return [
    endpoint(routes.getMe, async (request) => {
      const { workspace } = await identity.call(IdentityRpc.getWorkspace, {}, request.call);
      return { status: 200, body: await view(workspace, request) };
    }),

    endpoint(routes.patchMe, async (request) => {
      const { max_rpm: maxRpm, require_second_factor: requireSecondFactor } = request.body;
      const change = { maxRpm: maxRpm === null ? 0 : maxRpm, requireSecondFactor, name: undefined };
      const { workspace } = await identity.call(IdentityRpc.updateWorkspace, change, request.call);
      authenticator.clearCache();
      return { status: 200, body: await view(workspace, request) };
    }),

    endpoint(routes.getUsage, async ({ auth, call, requestId }) => {
      const usage = await billing.call(BillingRpc.usage, {}, call);
      return {
        status: 200,
        body: {
          days: usage.days,
          month: toMonthUsage(usage, requireCaller(auth)),
          limits: toVisibleLimits(usage.limits, requireCaller(auth)),
          creditsUsed: 0,
          request_id: requestId,
        },
      };
    }),
  ];
}

/** Describes the key or the person of a request. */
function callerView(auth: Authenticated) {
  const { keyName, scopes, person } = auth;
  if (person !== undefined) {
    const { userId: id, name, email, role } = person;
    // A person without a workspace is refused before.
    if (role === undefined) throw new AppError('internal', 'a member has no role');
    return {
      key: null,
      member: {
        id,
        name,
        email,
        role,
        can: canOf(role),
      },
    };
  }
  const caller = requireCaller(auth);
  const can = SCOPES.filter((scope) => scopeIncludes(caller.scope, scope));
  const projects = projectLimitOf(caller.access) ?? [];
  return { key: { id: actorOf(caller), name: keyName, scopes, projects, can }, member: null };
}
