/** Pages of accounts, by the last part of their path below /auth. */
export const ACCOUNT_PAGE_NAMES = [
  'login',
  'signup',
  'setup',
  'code',
  'verify',
  'forgot',
  'reset',
  'invite',
  'oidc',
  'account',
] as const;
export type AccountPageName = (typeof ACCOUNT_PAGE_NAMES)[number];

/** Where a sign-in leads that no other page requested: the page of the account, or the console where it is served. */
export const HOMES = { account: '/auth/account', console: '/' } as const;
export type Home = keyof typeof HOMES;

/** Pages of an authorization request: the consent, and those of a request with an unknown client or wrong parameters. */
export const CONSENT_PAGE_NAMES = ['consent', 'unknown-client', 'invalid-request'] as const;
export type ConsentPageName = (typeof CONSENT_PAGE_NAMES)[number];
