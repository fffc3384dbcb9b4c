import type { AnyRoute } from '@tidemark/api';
import { type KeyCaller, type PersonCaller, scopeIncludes } from '@tidemark/contracts';
import { AppError } from '@tidemark/errors';
import type { Request, Response } from 'express';
import { z } from 'zod';
import { authorize } from '../http/authorize.ts';
import type { Authenticated, SignedIn } from '../middleware/authenticated.ts';
import {
  type AuthorizationRequest,
  includesWrite,
  readAuthorizationRequest,
  redirectTo,
} from './authorization-request.ts';
import { issuerOf, type OAuthContext } from './oauth-options.ts';

const nothing = z.strictObject({});

/** The rules of sessions for a consent: those of creating a key. The route is for the consent page only, and not in the contract. */
const CONSENT: AnyRoute = {
  id: 'oauthConsent',
  method: 'post',
  path: '/oauth/consent',
  tag: 'OAuth',
  scope: 'read',
  reach: 'workspace',

  session: { freshCode: true },
  summary: 'Grant access',
  idempotent: false,
  spends: false,

  params: nothing,
  query: nothing,
  body: nothing,
  responses: {},
};
/** Reading a request and a denial require no fresh code. */
const DETAILS: AnyRoute = { ...CONSENT, id: 'oauthRequest', method: 'get', path: '/oauth/request', session: {} };

const Decision = z.enum(['read', 'write', 'deny'], { error: 'grant must be read, write or deny' });

/** Requires a signed-in person. @throws AppError */
async function personOf(route: AnyRoute, request: Request, response: Response, context: OAuthContext) {
  const auth: Authenticated = await authorize(route, request, response, context.check);
  const { caller, person } = auth;
  if (caller === undefined || person === undefined)
    throw new AppError('forbidden', 'access is granted by a signed-in person; an API key needs no consent');
  // A grant ends with a membership, which a person has in their own workspace only.
  if (caller.parentId !== undefined) throw new AppError('not_found', 'workspace not found');
  return { caller, person };
}

function checkedRequest(values: Readonly<Record<string, unknown>>, context: OAuthContext): AuthorizationRequest {
  const read = readAuthorizationRequest(values, context);
  if ('fault' in read) throw new AppError('validation', read.fault.message, { httpStatus: 400 });
  return read;
}

/** Returns what the consent page shows: the client, where it returns to, and what the person may grant. @throws AppError */
export async function describeRequest(request: Request, response: Response, context: OAuthContext): Promise<object> {
  const { caller, person } = await personOf(DETAILS, request, response, context);
  const checked = checkedRequest(request.query, context);
  const { client, redirectUri } = checked;
  const { host, protocol } = new URL(redirectUri);
  return {
    client: client.name,
    returnsTo: protocol === 'https:' || protocol === 'http:' ? host : protocol,
    person: person.email,
    grants: scopeIncludes(caller.scope, 'write') && includesWrite(checked) ? ['read', 'write'] : ['read'],
  };
}

/** Records the decision of the person and returns the address with which the browser returns to the client. @throws AppError */
export async function decide(request: Request, response: Response, context: OAuthContext): Promise<string> {
  const body: Readonly<Record<string, unknown>> = request.body ?? {};
  const decision = Decision.safeParse(body['grant']);
  const route = decision.data === 'deny' ? DETAILS : CONSENT;
  const { caller, person } = await personOf(route, request, response, context);
  const checked = checkedRequest(body, context);
  if (!decision.success) throw new AppError('validation', 'grant must be read, write or deny', { httpStatus: 400 });
  const parameters = { state: checked.state, iss: issuerOf(request, context.publicUrl) };
  if (decision.data === 'deny') return redirectTo(checked.redirectUri, { error: 'access_denied', ...parameters });
  if (!scopeIncludes(caller.scope, decision.data))
    throw new AppError('scopes', `your role has ${caller.scope}; you can grant at most that`);
  if (decision.data === 'write' && !includesWrite(checked))
    throw new AppError('validation', 'the application requested the scope read only', { httpStatus: 400 });
  const code = await issueCode(checked, { caller, person, scope: decision.data }, context);
  return redirectTo(checked.redirectUri, { code, ...parameters });
}

interface Granted {
  readonly caller: KeyCaller | PersonCaller;
  readonly person: SignedIn;
  readonly scope: 'read' | 'write';
}

function issueCode(checked: AuthorizationRequest, { caller, person, scope }: Granted, { codes }: OAuthContext) {
  return codes.issue({
    clientId: checked.clientId,
    clientName: checked.client.name,
    redirectUri: checked.redirectUri,
    codeChallenge: checked.code_challenge,
    scope,
    workspaceId: caller.workspaceId,
    userId: person.userId,
    sessionId: person.sessionId,
  });
}
