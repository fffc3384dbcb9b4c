import { createHash, timingSafeEqual } from 'node:crypto';
import { ALL_PROJECTS, GRANT_DAYS, onOwnBehalf } from '@tidemark/contracts';
import { IdentityServiceService as Rpc } from '@tidemark/contracts/identity/v1/identity';
import { AppError, type ErrorCode } from '@tidemark/errors';
import { z } from 'zod';
import type { Grant, Issued } from './authorization-codes.ts';
import { isResource } from './authorization-request.ts';
import type { OAuthContext } from './oauth-options.ts';

/** An error of the token endpoint (OAuth 2.1 section 3.2.4). */
export class OAuthError extends Error {
  readonly error: string;

  constructor(error: string, description: string) {
    super(description);
    this.error = error;
  }
}

const TokenRequest = z.object({
  grant_type: z.literal('authorization_code'),
  code: z.string().min(1).max(200),
  client_id: z.string().min(1).max(4_096),
  redirect_uri: z.string().max(1_000).optional(),
  // RFC 7636 section 4.1.
  code_verifier: z.string().regex(/^[A-Za-z0-9._~-]{43,128}$/),
  resource: z.string().max(1_000).optional(),
});
type TokenRequest = z.output<typeof TokenRequest>;

function checkedTokenRequest(body: unknown): TokenRequest {
  const parsed = TokenRequest.safeParse(body);
  if (parsed.success) return parsed.data;
  const isGrant = parsed.error.issues.some(({ path }) => path[0] === 'grant_type');
  if (isGrant) throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code');
  const fields = parsed.error.issues.map(({ path }) => path.join('.')).join(', ');
  throw new OAuthError('invalid_request', `missing or invalid: ${fields}`);
}

/** Returns whether a verifier belongs to a challenge (S256). */
function matchesChallenge(verifier: string, challenge: string): boolean {
  const own = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  const given = Buffer.from(challenge);
  return own.length === given.length && timingSafeEqual(own, given);
}

const UNUSABLE = 'the code is unknown, used or expired, or belongs to another client';

function checkGrant(grant: Grant | undefined, request: TokenRequest): Grant {
  const isOwn =
    grant !== undefined &&
    grant.clientId === request.client_id &&
    (request.redirect_uri === undefined || grant.redirectUri === request.redirect_uri) &&
    matchesChallenge(request.code_verifier, grant.codeChallenge);
  if (!isOwn) throw new OAuthError('invalid_grant', UNUSABLE);
  return grant;
}

/**
 * Exchanges a code for an access token: a key of the workspace, which its admins see and revoke like others. Failures count as failed
 * authentications of the address. @throws OAuthError, AppError
 */
export async function exchangeCode(body: unknown, origin: RequestOrigin, context: OAuthContext): Promise<object> {
  const uncount = context.failures.count(origin.address);
  const request = checkedTokenRequest(body);
  if (request.resource !== undefined && !isResource(request.resource, context.resource))
    throw new OAuthError('invalid_target', `resource must be ${context.resource}`);
  // The code is spent by any attempt with it (OAuth 2.1 section 4.1.3).
  const taken = await context.codes.take(request.code);
  if (taken.replayed !== undefined) await revokeIssued(taken.replayed, origin, context);
  const grant = checkGrant(taken.grant, request);
  const token = await issueToken(grant, { code: request.code, requestId: origin.requestId }, context);
  uncount();
  return {
    access_token: token,
    token_type: 'Bearer',
    expires_in: GRANT_DAYS * 86_400,
    scope: grant.scope === 'write' ? 'read write' : 'read',
  };
}

interface Exchange {
  readonly code: string;
  readonly requestId: string;
}

/** Creates the key of a grant and returns its secret. @throws OAuthError, AppError */
async function issueToken(grant: Grant, { code, requestId }: Exchange, context: OAuthContext): Promise<string> {
  const { workspaceId, userId, sessionId, scope, clientName } = grant;
  const caller = { kind: 'person', workspaceId, userId, sessionId, scope, access: ALL_PROJECTS } as const;
  const { key, secret } = await context.identity.call(Rpc.grantAccess, { clientName, scope }, { caller, requestId });
  if (key === undefined) throw new AppError('internal', 'identity returned no key');
  const issued = { workspaceId, keyId: key.id };
  if (await context.codes.recordToken(code, issued)) return secret;
  await revokeIssued(issued, { requestId }, context);
  throw new OAuthError('invalid_grant', UNUSABLE);
}

/** Revokes the token of a code that was used twice: one of the two clients is not the one that the person allowed. */
async function revokeIssued(
  { workspaceId, keyId }: Issued,
  { requestId }: Pick<RequestOrigin, 'requestId'>,
  { check: { authenticator }, identity }: OAuthContext,
): Promise<void> {
  const caller = onOwnBehalf('gateway', workspaceId);
  await identity.call(Rpc.revokeKey, { id: keyId }, { caller, requestId }).catch(unless('not_found'));
  authenticator.clearCache();
}

/** Returns undefined for an error with this code. */
const unless =
  (code: ErrorCode) =>
  (error: unknown): undefined => {
    if (!(error instanceof AppError) || error.code !== code) throw error;
  };

/** Origin of a request, for limits and logs. */
export interface RequestOrigin {
  readonly requestId: string;
  /** Group of the client's address, whose failed authentications are limited. */
  readonly address: string;
}

/** Revokes a token (RFC 7009). A token that is not valid is no error. @throws OAuthError, AppError unavailable, rate_limited */
export async function revokeToken(
  body: unknown,
  { requestId, address }: RequestOrigin,
  { check: { authenticator }, identity }: OAuthContext,
): Promise<void> {
  const parsed = z.object({ token: z.string().min(1).max(500) }).safeParse(body);
  if (!parsed.success) throw new OAuthError('invalid_request', 'token is required');
  const presented = { authorization: `Bearer ${parsed.data.token}`, sessionToken: '' };
  const auth = await authenticator.authenticate(presented, requestId, address).catch(unless('unauthorized'));
  if (auth === undefined) return;
  // A token may revoke itself, whatever its scope and access.
  const { caller } = auth;
  if (caller?.kind !== 'key') return;
  await identity.call(Rpc.revokeKey, { id: caller.keyId }, { caller, requestId }).catch(unless('not_found'));
  authenticator.clearCache();
}
