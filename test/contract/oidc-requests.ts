import type { Good } from './requests.ts';

/** Requests of the sign-in through a provider, of which the shared fleet has none: 409. `test/accounts/oidc.test.ts` has one. */
export const goodOfOidc = {
  getSignInOptions: { 200: () => ({ path: '/auth/options' }) },
  startOidc: { 200: () => ({ path: '/auth/oidc/start', body: {} }) },
  logInWithOidc: { 200: () => ({ path: '/auth/oidc/login', body: { binding: 'A'.repeat(43), query: '?code=x' } }) },
} satisfies Readonly<Record<string, Good>>;
