import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { clientGroup } from '../http/trusted-proxies.ts';
import { requestIdOf } from '../middleware/request-id.ts';
import { serveConsentPage } from '../pages/mount-account-pages.ts';
import { readAuthorizationRequest, redirectTo } from './authorization-request.ts';
import { decide, describeRequest } from './consent.ts';
import { ClientMetadata, isLoopback } from './oauth-clients.ts';
import { issuerOf, type OAuthContext } from './oauth-options.ts';
import { exchangeCode, OAuthError, type RequestOrigin, revokeToken } from './token.ts';

const BODY_LIMIT = '16kb';

/** Metadata of the authorization server (RFC 8414). */
const metadataOf = (issuer: string, resource: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/oauth/authorize`,
  token_endpoint: `${issuer}/oauth/token`,
  registration_endpoint: `${issuer}/oauth/register`,
  revocation_endpoint: `${issuer}/oauth/revoke`,
  scopes_supported: ['read', 'write'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  protected_resources: [resource], // RFC 9728 section 4
});

const addressOf = (request: Request): string => clientGroup(request.ip ?? '');
const originOf = (request: Request, response: Response): RequestOrigin => ({
  requestId: requestIdOf(response),
  address: addressOf(request),
});

/** Registers a client (RFC 7591). @throws AppError rate_limited */
function register(request: Request, response: Response, { clients, failures }: OAuthContext): void {
  failures.count(addressOf(request));
  const parsed = ClientMetadata.safeParse(request.body);
  if (!parsed.success) {
    const isUri = parsed.error.issues.some(({ path }) => path[0] === 'redirect_uris');
    const description = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
    const error = isUri ? 'invalid_redirect_uri' : 'invalid_client_metadata';
    response.status(400).json({ error, error_description: description });
    return;
  }
  const { client_name, redirect_uris } = parsed.data;
  response.status(201).json({
    client_id: clients.register({ name: client_name, redirectUris: redirect_uris }),

    client_name,
    redirect_uris,
    token_endpoint_auth_method: 'none',

    grant_types: ['authorization_code'],
    response_types: ['code'],
  });
}

/**
 * Shows the consent page, or the page of a request that is not valid. Any client may register an address, so that a redirect without a decision of
 * the person would make this server an open redirector (RFC 9700 section 4.11.2): errors return to addresses of the person's machine only.
 */
function authorizePage(request: Request, response: Response, context: OAuthContext): void {
  context.failures.count(addressOf(request));
  const read = readAuthorizationRequest(request.query, context);
  const fault = 'fault' in read ? read.fault : undefined;
  if (fault?.of === 'parameters' && isLoopback(fault.redirectUri)) {
    const { error, message, state, redirectUri } = fault;
    const iss = issuerOf(request, context.publicUrl);
    response.redirect(302, redirectTo(redirectUri, { error, error_description: message, state, iss }));
    return;
  }
  serveConsentPage(response, fault?.of ?? 'request');
}

/** Sends errors in the form of OAuth; others pass to the error handler of the API. */
const inForm =
  (respond: (request: Request, response: Response) => Promise<void>): RequestHandler =>
  async (request, response) => {
    try {
      await respond(request, response);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      response.status(400).json({ error: error.error, error_description: error.message });
    }
  };

/**
 * Mounts the authorization server of the MCP endpoint: OAuth 2.1 with PKCE for public clients. An access token is a key of the workspace.
 */
export function mountOauth(app: Express, context: OAuthContext): void {
  const json = express.json({ limit: BODY_LIMIT });
  const form = express.urlencoded({ limit: BODY_LIMIT, extended: false });
  app.get('/.well-known/oauth-authorization-server', (request, response) => {
    response.json(metadataOf(issuerOf(request, context.publicUrl), context.resource));
  });
  app.post('/oauth/register', json, (request, response) => register(request, response, context));
  app.get('/oauth/authorize', (request, response) => authorizePage(request, response, context));
  app.get('/oauth/request', async (request, response) => {
    response.json(await describeRequest(request, response, context));
  });
  app.post('/oauth/consent', json, async (request, response) => {
    response.json({ redirectTo: await decide(request, response, context) });
  });
  const token = inForm(async (request, response) => {
    response.set('cache-control', 'no-store');
    response.json(await exchangeCode(request.body, originOf(request, response), context));
  });
  app.post('/oauth/token', form, token);
  const revoke = inForm(async (request, response) => {
    await revokeToken(request.body, originOf(request, response), context);
    response.json({});
  });
  app.post('/oauth/revoke', form, revoke);
}
