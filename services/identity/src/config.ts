import { z } from 'zod';
import { SIGN_UP } from './accounts/account-settings.ts';

export const config = {
  DATABASE_URL: z.url(),
  NATS_URL: z.string(),
  /** Keys that seal secrets of factors and the content of mails: base64 of 32 bytes each, comma-separated, newest first. Delivery has the same. */
  SEALING_KEYS: z.string(),
  /** Path of the operator's plan catalogue; CreateWorkspace refuses plans that it does not contain. @defaultValue the bundled catalogue */
  TIDEMARK_CATALOGUE: z.string().optional(),
  /** Plan of the workspace that a sign-up creates. */
  TIDEMARK_DEFAULT_PLAN: z.string().default('free'),
  /** Policy of sign-up: `open`, `invite` (with an invitation) or `closed`. The setup link of the operator always works. */
  SIGN_UP: z.enum(SIGN_UP).default('invite'),
  /**
   * Whether delivery has a mail host for accounts. `off`: addresses stay unproven, invitation links are shown to the inviter, and the
   * operator makes reset links (`npm run reset-link`).
   */
  ACCOUNT_MAILS: z.enum(['on', 'off']).default('off'),
  /**
   * OpenID Connect provider that people sign in with: its issuer, an https address. The redirect address to register there is
   * `<address>/auth/oidc`. Empty: none.
   */
  OIDC_ISSUER: z.union([z.url(), z.literal('')]).default(''),
  /** Client id of this installation at the provider. */
  OIDC_CLIENT_ID: z.string().default(''),
  /** Client secret of this installation at the provider. */
  OIDC_CLIENT_SECRET: z.string().default(''),
  /** Name of the provider on the button of the sign-in page. */
  OIDC_NAME: z.string().max(60).default('single sign-on'),
  /** Domains of the addresses that the provider may sign in, comma-separated. Empty: all. */
  OIDC_ALLOWED_DOMAINS: z.string().default(''),
  /** Scopes that are requested of the provider, separated by blanks. Some providers state groups with a scope of their own only. */
  OIDC_SCOPES: z.string().default('openid email profile'),
  /** Claim of the id token that lists the groups of a person. */
  OIDC_GROUPS_CLAIM: z.string().default('groups'),
  /**
   * Roles of groups at the provider, applied at each sign-in: a JSON list such as `[{"group":"eng","workspace":"ws_…","role":"member"}]`, with
   * the roles viewer, member and admin. Empty: none.
   */
  OIDC_GROUP_ROLES: z.string().default(''),
  /** Hosts outside the public web that may be reached, comma-separated: a provider in an intranet. */
  TIDEMARK_EGRESS_ALLOW: z.string().default(''),
  /** Ports of the installation, which the provider's addresses never reach. */
  TIDEMARK_OWN_PORTS: z.string().default(''),
  /** Proxy of the network through which connections leave: http://, https:// or socks5:// URL, credentials included. @defaultValue none */
  HTTPS_PROXY: z.string().default(''),
  /** Names (with their subdomains), addresses or CIDRs that are reached without HTTPS_PROXY; comma-separated. */
  NO_PROXY: z.string().default(''),
  /** Host in the requests to HTTPS_PROXY: the checked `address`, or the `name`, which the proxy resolves itself. */
  TIDEMARK_PROXY_TARGET: z.enum(['address', 'name']).default('address'),
  /** Days for which requests of API keys are kept in the request log. A request needs about 400 bytes of the database. */
  REQUEST_LOG_DAYS: z.coerce.number().int().min(1).max(90).default(7),
  /** Minimum length of a password. */
  PASSWORD_MIN: z.coerce.number().int().min(8).max(64).default(12),
} as const;
