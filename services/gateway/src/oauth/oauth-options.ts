import type { Peer } from '@tidemark/service';
import type { Request } from 'express';
import { fixedOriginOf } from '../http/base-url.ts';
import type { KeyCheck } from '../http/check-key.ts';
import type { AuthFailures } from '../middleware/auth-failures.ts';
import type { AuthorizationCodes } from './authorization-codes.ts';
import type { OAuthClients } from './oauth-clients.ts';

/** What the authorization server works with. */
export interface OAuthOptions {
  readonly clients: OAuthClients;
  readonly codes: AuthorizationCodes;
  readonly identity: Peer;
  /** Counts the requests of an address that have no key or session. */
  readonly failures: AuthFailures;
  /** Public URL of the MCP endpoint, the resource that tokens are issued for. */
  readonly resource: string;
}

/** What the routes of the authorization server need. */
export interface OAuthContext extends OAuthOptions {
  readonly check: KeyCheck;
  readonly publicUrl: string | undefined;
}

/** Identifier of this authorization server: the origin of the API (RFC 8414 section 2). */
export const issuerOf = (request: Request, publicUrl: string | undefined): string => fixedOriginOf(request, publicUrl);
