import { createHttpClient, guardFromConfig, type HttpClient } from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import { makeGuardedFetch } from './guarded-fetch.ts';
import { makeLogInWithOidc, makeStartOidc, type OidcParts } from './log-in-with-oidc.ts';
import { OidcProvider } from './oidc-provider.ts';

export type Oidc = ReturnType<typeof openOidc>;

export interface OidcConfig {
  readonly OIDC_ISSUER: string;
  readonly OIDC_CLIENT_ID: string;
  readonly OIDC_CLIENT_SECRET: string;
  readonly OIDC_NAME: string;
  readonly OIDC_ALLOWED_DOMAINS: string;
  readonly TIDEMARK_EGRESS_ALLOW: string;
  readonly TIDEMARK_OWN_PORTS: string;
}

/** Builds the use cases of the sign-in through a provider. */
export const openOidc = (parts: OidcParts) => ({
  name: parts.provider?.settings.name ?? '',
  start: makeStartOidc(parts),
  logIn: makeLogInWithOidc(parts),
});

/**
 * Opens the configured provider, whose connections pass the egress guard. @returns undefined without OIDC_ISSUER
 * @throws AppError if a setting is missing, or if the issuer has neither https nor a loopback host
 */
export function openProvider(
  config: OidcConfig,
  { own, log }: { readonly own: (http: HttpClient) => HttpClient; readonly log: Logger },
): OidcProvider | undefined {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret, OIDC_NAME: name } = config;
  if (issuer === '') return undefined;
  if (clientId === '' || clientSecret === '')
    throw new AppError('validation', 'OIDC_ISSUER is set; expected OIDC_CLIENT_ID and OIDC_CLIENT_SECRET too');
  const { protocol, hostname } = new URL(issuer);
  if (protocol !== 'https:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))
    throw new AppError('validation', `OIDC_ISSUER is ${issuer}; expected an https address (http on loopback only)`);
  const allowedDomains = config.OIDC_ALLOWED_DOMAINS.split(',')
    .map((domain) => domain.trim().toLowerCase())
    .filter((domain) => domain !== '');
  const http = own(createHttpClient(guardFromConfig(config)));
  return new OidcProvider(
    { issuer, clientId, clientSecret, name, allowedDomains },
    { fetch: makeGuardedFetch(http), log },
  );
}
