import { z } from 'zod';
import { allowsRedirect, type OAuthClient, type OAuthClients } from './oauth-clients.ts';

/** Base64url of a SHA-256 (RFC 7636 section 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Parameters of an authorization request (OAuth 2.1 section 4.1.1), with the resource (RFC 8707). */
const Parameters = z.object({
  response_type: z.literal('code', { error: 'response_type must be code' }),
  code_challenge: z.string({ error: 'code_challenge is required' }).regex(CHALLENGE, 'code_challenge is no S256 hash'),
  code_challenge_method: z.literal('S256', { error: 'code_challenge_method must be S256' }),
  scope: z.string().max(200).optional(),
  state: z.string().max(2_000).optional(),
  resource: z.string().max(1_000).optional(),
});

export interface AuthorizationRequest extends z.output<typeof Parameters> {
  readonly clientId: string;
  readonly client: OAuthClient;
  readonly redirectUri: string;
}

/**
 * client: the client or its redirect URI is unknown, so that nothing may be sent there; parameters: an error that is sent to the client.
 */
export type RequestFault =
  | { readonly of: 'client'; readonly message: string }
  | {
      readonly of: 'parameters';
      readonly message: string;
      readonly error: 'invalid_request' | 'invalid_target';
      readonly redirectUri: string;
      readonly state: string | undefined;
    };

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Checks an authorization request. `resource`: the only resource that tokens are issued for. */
export function readAuthorizationRequest(
  values: Readonly<Record<string, unknown>>,
  { clients, resource }: { readonly clients: OAuthClients; readonly resource: string },
): AuthorizationRequest | { readonly fault: RequestFault } {
  const clientId = textOf(values['client_id']);
  const redirectUri = textOf(values['redirect_uri']);
  const client = clients.find(clientId);
  if (client === undefined)
    return {
      fault: {
        of: 'client',
        message: 'the application is not registered here: remove its connection and add it again',
      },
    };
  if (!allowsRedirect(client, redirectUri))
    return { fault: { of: 'client', message: 'the application did not register the address that it returns to' } };
  const parsed = Parameters.safeParse(values);
  const state = textOf(values['state']) || undefined;
  if (!parsed.success) {
    const message = parsed.error.issues.map((issue) => issue.message).join('; ');
    return { fault: { of: 'parameters', error: 'invalid_request', message, redirectUri, state } };
  }
  if (parsed.data.resource !== undefined && !isResource(parsed.data.resource, resource)) {
    const message = `resource must be ${resource}`;
    return { fault: { of: 'parameters', error: 'invalid_target', message, redirectUri, state } };
  }
  return { ...parsed.data, clientId, client, redirectUri };
}

/** Returns whether a request includes the scope write, as one without scopes does (OAuth 2.1 section 3.2.2.1). */
export const includesWrite = ({ scope }: Pick<AuthorizationRequest, 'scope'>): boolean =>
  scope === undefined || scope.trim() === '' || scope.split(' ').includes('write');

/** Compares URLs without a slash at the end. */
export const isResource = (given: string, own: string): boolean =>
  given.replace(/\/$/, '').toLowerCase() === own.replace(/\/$/, '').toLowerCase();

/** Adds the parameters of a response to a redirect URI, with the issuer (RFC 9207). */
export function redirectTo(redirectUri: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
