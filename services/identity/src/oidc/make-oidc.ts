import {
  createHttpClient,
  type EgressConfig,
  guardFromConfig,
  type HttpClient,
  type OutboundProxyConfig,
} from '@tidemark/egress';
import { AppError } from '@tidemark/errors';
import type { Logger } from '@tidemark/service';
import type pg from 'pg';
import type { AccountSettings } from '../accounts/account-settings.ts';
import type { AccountMails } from '../mail/account-mails.ts';
import { AttemptCounter } from '../store/attempt-counter.ts';
import { IdentityStore } from '../store/identity-store.ts';
import { InviteStore } from '../store/invite-store.ts';
import { MemberStore } from '../store/member-store.ts';
import type { SendEvents } from '../store/send-events.ts';
import { SessionStore } from '../store/session-store.ts';
import { TokenStore } from '../store/token-store.ts';
import { UserStore } from '../store/user-store.ts';
import type { WelcomeStore } from '../store/welcome-store.ts';
import { WorkspaceStore } from '../store/workspace-store.ts';
import { makeAccountOfClaims } from './account-of-claims.ts';
import { makeApplyGroups } from './apply-groups.ts';
import { makeCreateOidcAccount } from './create-oidc-account.ts';
import type { GroupRole } from './group-roles.ts';
import { makeGuardedFetch } from './guarded-fetch.ts';
import { type LogInWithOidc, makeLogInWithOidc, makeStartOidc, type StartOidc } from './log-in-with-oidc.ts';
import { OidcProvider } from './oidc-provider.ts';

/** The use cases of the sign-in through a provider. */
export interface Oidc {
  /** Name of the provider; empty without one. */
  readonly name: string;
  readonly start: StartOidc;
  readonly logIn: LogInWithOidc;
}

export interface OidcConfig extends EgressConfig, OutboundProxyConfig {
  readonly OIDC_ISSUER: string;
  readonly OIDC_CLIENT_ID: string;
  readonly OIDC_CLIENT_SECRET: string;
  readonly OIDC_NAME: string;
  readonly OIDC_ALLOWED_DOMAINS: string;
  readonly OIDC_SCOPES: string;
  readonly OIDC_GROUPS_CLAIM: string;
}

/** Makes the use cases of the sign-in through a provider, with their stores. */
export function makeOidc({
  pool,
  provider,
  mails,
  settings,
  welcome,
  send,
  groupRoles: rules,
}: {
  readonly pool: pg.Pool;
  /** undefined: none is configured. */
  readonly provider: OidcProvider | undefined;
  readonly mails: AccountMails;
  readonly settings: AccountSettings;
  readonly welcome: WelcomeStore;
  readonly send: SendEvents;
  readonly groupRoles: readonly GroupRole[];
}): Oidc {
  const users = new UserStore(pool);
  const sessions = new SessionStore(pool);
  const tokens = new TokenStore(pool);
  const members = new MemberStore(pool);
  const invites = new InviteStore(pool);
  const workspaces = new WorkspaceStore(pool);
  const identities = new IdentityStore(pool);
  const attempts = new AttemptCounter(pool);
  const providerName = provider?.settings.name ?? '';
  const createAccount = makeCreateOidcAccount({ users, members, invites, workspaces, welcome, send, settings, rules });
  const applyGroups = makeApplyGroups({ pool, members, rules, send });
  const accountOf = makeAccountOfClaims({ pool, users, identities, mails, providerName, createAccount });
  return {
    name: providerName,
    start: makeStartOidc({ pool, tokens, attempts, provider }),
    logIn: makeLogInWithOidc({ pool, sessions, tokens, attempts, mails, provider, accountOf, applyGroups }),
  };
}

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
    {
      issuer,
      clientId,
      clientSecret,
      name,
      allowedDomains,
      scopes: config.OIDC_SCOPES,
      groupsClaim: config.OIDC_GROUPS_CLAIM,
    },
    { fetch: makeGuardedFetch(http), log },
  );
}
