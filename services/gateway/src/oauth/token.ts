import { createHash, timingSafeEqual } from 'node:crypto';
import { IdentityServiceService as Rpc } from '@tidemark/contracts/identity/v1/identity';
import { AppError, type ErrorCode } from '@tidemark/errors';
import { z } from 'zod';
import type { Grant } from './authorization-codes.ts';
import { isResource } from './authorization-request.ts';
import type { OAuthContext } from './oauth-options.ts';

/** Lifetime of an access token, days. There are no refresh tokens: the client authorizes again after it. */
const TOKEN_DAYS = 90;
/** Characters of the name of a key. */
const MAX_NAME = 100;

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

function checkGrant(grant: Grant | undefined, request: TokenRequest): Grant {
  const isOwn =
    grant !== undefined &&
    grant.clientId === request.client_id &&
    (request.redirect_uri === undefined || grant.redirectUri === request.redirect_uri) &&
    matchesChallenge(request.code_verifier, grant.codeChallenge);
  if (!isOwn)
    throw new OAuthError('invalid_grant', 'the code is unknown, used or expired, or belongs to another client');
  return grant;
}

/** Exchanges a code for an access token: a key of the workspace, which its admins see and revoke like others. @throws OAuthError, AppError */
export async function exchangeCode(body: unknown, requestId: string, context: OAuthContext): Promise<object> {
  const request = checkedTokenRequest(body);
  if (request.resource !== undefined && !isResource(request.resource, context.resource))
    throw new OAuthError('invalid_target', `resource must be ${context.resource}`);
  // The code is spent by any attempt with it (OAuth 2.1 section 4.1.3).
  const grant = checkGrant(await context.codes.take(request.code), request);
  const { workspaceId, userId, sessionId, scope } = grant;
  const caller = { workspaceId, keyId: '', scope, projects: [], userId, sessionId };
  const name = `OAuth: ${grant.clientName}`.slice(0, MAX_NAME);
  const { secret } = await context.identity.call(
    Rpc.createKey,
    { name, scopes: [scope], projects: [], expiresInDays: TOKEN_DAYS, rpm: undefined },
    { caller, requestId },
  );
  return {
    access_token: secret,
    token_type: 'Bearer',
    expires_in: TOKEN_DAYS * 86_400,
    scope: scope === 'write' ? 'read write' : 'read',
  };
}

/** Returns undefined for an error with this code. */
const unless =
  (code: ErrorCode) =>
  (error: unknown): undefined => {
    if (!(error instanceof AppError) || error.code !== code) throw error;
  };

/** Origin of a request, for limits and logs. */
interface RequestOrigin {
  readonly requestId: string;
  /** Group of the client's address, whose failed authentications are limited. */
  readonly address: string;
}

/** Revokes a token (RFC 7009). A token that is not valid is no error. @throws OAuthError, AppError unavailable, rate_limited */
export async function revokeToken(
  body: unknown,
  { requestId, address }: RequestOrigin,
  { authenticator, identity }: OAuthContext,
): Promise<void> {
  const parsed = z.object({ token: z.string().min(1).max(500) }).safeParse(body);
  if (!parsed.success) throw new OAuthError('invalid_request', 'token is required');
  const presented = { authorization: `Bearer ${parsed.data.token}`, sessionToken: '' };
  const auth = await authenticator.authenticate(presented, requestId, address).catch(unless('unauthorized'));
  if (auth === undefined) return;
  // A token may end itself, whatever its scope.
  const caller = { ...auth.caller, scope: 'admin' as const, projects: [] };
  await identity.call(Rpc.revokeKey, { id: caller.keyId }, { caller, requestId }).catch(unless('not_found'));
  authenticator.clearCache();
}
