import { createHmac } from 'node:crypto';
import { AppError, messageOf } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import * as oidc from 'openid-client';
import { groupsOf } from './group-roles.ts';

/** Signatures of id tokens that are accepted: with keys of the provider, never with the client secret. */
const ALGORITHMS: readonly unknown[] = ['RS256', 'ES256'];
/** How long a discovery document is used, ms. Keys are read again when a token names an unknown one. */
const DISCOVERY_MS = 3_600_000;
const TIMEOUT_SECONDS = 10;

export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Name of the provider on the button. */
  readonly name: string;
  /** Domains of accepted addresses, in lower case; empty: all. */
  readonly allowedDomains: readonly string[];
  /** Scopes of the request, separated by blanks. */
  readonly scopes: string;
  /** The claim of the id token that lists groups. */
  readonly groupsClaim: string;
}

/** A person as the provider states it. */
export interface OidcClaims {
  readonly issuer: string;
  readonly subject: string;
  /** Empty if the provider states none. */
  readonly email: string;
  readonly isEmailVerified: boolean;
  readonly name: string;
  readonly groups: readonly string[];
}

/** Where the provider sends the browser back to. */
export interface OidcReturn {
  readonly redirectUri: string;
  /** Query that the provider added to it. */
  readonly query: string;
}

/**
 * Signs in through one OpenID Connect provider: authorization code with PKCE, state and nonce (OpenID Connect Core 1.0, section 3.1). State,
 * nonce and PKCE verifier are derived from one secret that only the browser has, so that nothing is stored.
 */
export class OidcProvider {
  readonly settings: OidcSettings;
  readonly #fetch: oidc.CustomFetch;
  readonly #log: Logger;
  #discovered: { readonly configuration: Promise<oidc.Configuration>; readonly untilMs: number } | undefined;

  constructor(settings: OidcSettings, { fetch, log }: { readonly fetch: oidc.CustomFetch; readonly log: Logger }) {
    this.settings = settings;
    this.#fetch = fetch;
    this.#log = log;
  }

  /** Returns the address of the provider that the browser opens. @throws AppError unavailable */
  async authorizationUrl(binding: string, redirectUri: string): Promise<string> {
    const configuration = await this.#configuration().catch((error: unknown) => {
      this.#log.warn(
        { err: messageOf(error), issuer: this.settings.issuer },
        'discovery of the sign-in provider failed',
      );
      throw new AppError('unavailable', `${this.settings.name} did not answer; try again shortly`, {
        retryAfterSeconds: 5,
      });
    });
    const url = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: redirectUri,
      scope: this.settings.scopes,
      response_type: 'code',

      state: derive(binding, 'state'),
      nonce: derive(binding, 'nonce'),
      code_challenge: await oidc.calculatePKCECodeChallenge(derive(binding, 'verifier')),
      code_challenge_method: 'S256',
    });
    return url.href;
  }

  /** Exchanges the code for an id token and verifies it. @returns undefined if anything is wrong, which is logged */
  async claimsOf(binding: string, { redirectUri, query }: OidcReturn): Promise<OidcClaims | undefined> {
    try {
      const url = new URL(redirectUri);
      url.search = query;
      const tokens = await oidc.authorizationCodeGrant(await this.#configuration(), url, {
        pkceCodeVerifier: derive(binding, 'verifier'),
        expectedState: derive(binding, 'state'),

        expectedNonce: derive(binding, 'nonce'),
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (claims === undefined || !ALGORITHMS.includes(algorithmOf(tokens.id_token)))
        throw new Error('no accepted id token');
      return {
        issuer: claims.iss,
        subject: claims.sub,
        email: textOf(claims['email']),
        name: textOf(claims['name']),
        groups: groupsOf(claims[this.settings.groupsClaim]),
        // Some providers send text.
        isEmailVerified: claims['email_verified'] === true || claims['email_verified'] === 'true',
      };
    } catch (error) {
      // Codes and messages of the library contain no tokens; causes may.
      const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
      this.#log.warn(
        { err: messageOf(error), code, issuer: this.settings.issuer },
        'sign-in through the provider refused',
      );
      return undefined;
    }
  }

  #configuration(): Promise<oidc.Configuration> {
    if (this.#discovered !== undefined && this.#discovered.untilMs > performance.now())
      return this.#discovered.configuration;
    const configuration = this.#discover();
    const discovered = { configuration, untilMs: performance.now() + DISCOVERY_MS };
    this.#discovered = discovered;
    configuration.catch(() => {
      if (this.#discovered === discovered) this.#discovered = undefined;
    });
    return configuration;
  }

  async #discover(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret } = this.settings;
    // http is for labs: the service refuses it for other hosts than loopback.
    const isHttp = issuer.startsWith('http:');
    const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), {
      [oidc.customFetch]: this.#fetch,
      timeout: TIMEOUT_SECONDS,
      execute: isHttp ? [oidc.allowInsecureRequests] : [],
    });
    const server = found.serverMetadata();
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticate = methods.includes('client_secret_basic')
      ? oidc.ClientSecretBasic(clientSecret)
      : oidc.ClientSecretPost(clientSecret);
    const configuration = new oidc.Configuration(server, clientId, undefined, authenticate);
    configuration[oidc.customFetch] = this.#fetch;
    configuration.timeout = TIMEOUT_SECONDS;
    // The signature is verified although the token comes from the token endpoint.
    oidc.enableNonRepudiationChecks(configuration);
    if (isHttp) oidc.allowInsecureRequests(configuration);
    return configuration;
  }
}

const derive = (binding: string, purpose: string): string =>
  createHmac('sha256', binding).update(purpose).digest('base64url');

const textOf = (claim: unknown): string => (typeof claim === 'string' ? claim : '');

function algorithmOf(token = ''): unknown {
  const header: unknown = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
  return typeof header === 'object' && header !== null && 'alg' in header ? header.alg : undefined;
}
