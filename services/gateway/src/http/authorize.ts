import type { AnyRoute, SessionGap } from '@tidemark/api';
import { scopeIncludes } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { Request, Response } from 'express';
import type { Authenticated } from '../middleware/authenticated.ts';
import { requestIdOf } from '../middleware/request-id.ts';
import type { Suspension } from '../middleware/suspension.ts';
import { authenticateRequest, type KeyCheck, recordEntered, requireKey } from './check-key.ts';

/**
 * Checks a request in this order: key or session, rate, workspace, suspension, second factor, address, scope and reach, plan, freshness of the code.
 * @throws AppError
 */
export async function authorize(
  route: AnyRoute,
  request: Request,
  response: Response,
  options: KeyCheck,
): Promise<Authenticated> {
  const own = await requireKey(request, response, options);
  refuseHalfSession(route, own);
  const auth = await enterTenant(route, request, {
    own,
    requestId: requestIdOf(response),
    authenticator: options.authenticator,
  });
  recordEntered(response, auth);
  checkSession(route, auth);
  checkScope(route, auth);
  checkPlan(route, auth);
  if (route.session?.freshCode === true) requireFreshCode(auth);
  return auth;
}

/** Authenticates a request again while its stream is open, in the workspace that it names. @throws AppError */
export async function authorizeAgain(
  route: AnyRoute,
  request: Request,
  response: Response,
  options: KeyCheck,
): Promise<void> {
  const own = await authenticateRequest(request, response, options);
  await enterTenant(route, request, { own, requestId: requestIdOf(response), authenticator: options.authenticator });
}

const whySuspended = (suspension: Suspension): string =>
  suspension.by === 'parent'
    ? 'this workspace is suspended by the workspace that pays for it'
    : `this workspace is suspended by the operator of this installation: ${suspension.reason}`;

interface Entering extends Pick<KeyCheck, 'authenticator'> {
  readonly own: Authenticated;
  readonly requestId: string;
}

/** Returns the caller in the workspace of `x-service-tenant`: its own, or a sub-account of it. @throws AppError not_found, forbidden if it is suspended */
async function enterTenant(
  route: AnyRoute,
  request: Request,
  { own, requestId, authenticator }: Entering,
): Promise<Authenticated> {
  const home = own.caller?.workspaceId;
  const tenant = request.get('x-service-tenant') ?? home;
  const isPersonal = route.session?.only === true;
  if (isPersonal && tenant !== home) throw new AppError('not_found', 'workspace not found');
  const isOwn = tenant === undefined || tenant === home;
  const auth = isOwn ? own : await authenticator.subAccounts.enter(own, tenant, requestId);
  if (auth.suspension !== undefined && !isPersonal) throw new AppError('forbidden', whySuspended(auth.suspension));
  return auth;
}

/** Requires a fresh code where the route does for this body. @throws AppError mfa_stale */
export function checkFreshCode({ session }: AnyRoute, auth: Authenticated, body: unknown): void {
  if (typeof session?.freshCode === 'function' && session.freshCode(body)) requireFreshCode(auth);
}

const allows = ({ session }: AnyRoute, gap: SessionGap): boolean => session?.allows?.includes(gap) === true;

/** Until the code is shown a session counts as none. */
function refuseHalfSession(route: AnyRoute, { person }: Authenticated): void {
  if (person?.state === 'half' && !allows(route, 'half'))
    throw new AppError('unauthorized', 'the sign-in is not complete: send the code to POST /v1/auth/2fa/verify');
}

/** Checks what a session needs besides its role. Keys are not affected. @throws AppError */
function checkSession(route: AnyRoute, { person, caller }: Authenticated): void {
  if (person === undefined) return;
  if (caller === undefined && route.session?.only !== true)
    throw new AppError('forbidden', 'you are a member of no workspace here; POST /v1/auth/switch moves to another one');
  if (person.needsFactor && !person.hasFactor && !allows(route, 'no_factor'))
    throw new AppError(
      'mfa_required',
      'this workspace requires a second factor; set one up: PATCH /v1/auth/profile {"two_factor": "start"}',
    );
  if (person.mustVerifyEmail && route.method !== 'get' && !allows(route, 'unverified'))
    throw new AppError(
      'email_unverified',
      'verify your address first: open the link of the mail; POST /v1/auth/verify/request mails it again',
    );
}

function checkScope(route: AnyRoute, { caller, scopes, person }: Authenticated): void {
  if (route.session?.only === true && person === undefined)
    throw new AppError('forbidden', 'this route concerns a signed-in person; an API key can not use it');
  const scope = caller?.scope ?? 'read';
  if (route.scope !== 'public' && !scopeIncludes(scope, route.scope)) {
    const own = person === undefined ? `this key has ${scopes.join(', ')}` : `the role ${person.role} has ${scope}`;
    throw new AppError('scopes', `this route requires the scope ${route.scope}; ${own}`);
  }
  if (route.reach === 'workspace' && caller?.access.kind === 'only') {
    throw new AppError(
      'forbidden',
      'this key is restricted to projects; this route requires a key without that restriction, because it concerns the whole workspace',
    );
  }
}

function checkPlan({ feature }: AnyRoute, { features, plan }: Authenticated): void {
  if (feature !== undefined && !features.includes(feature))
    throw new AppError(
      'plan_limit',
      `the plan ${plan} does not include ${feature.replace('_', ' ')}; GET /v1/meta lists the plans that do, and the plan is changed under billing`,
    );
}

function requireFreshCode({ person }: Authenticated): void {
  if (person === undefined || !person.hasFactor || person.codeFreshUntilMs > performance.now()) return;
  throw new AppError(
    'mfa_stale',
    'this action requires a code of the last ten minutes; send one to POST /v1/auth/2fa/verify and try again',
  );
}
