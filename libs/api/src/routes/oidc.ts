import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { LinkToken, Session } from '../schemas/account.ts';

const around = { tag: 'Sessions', params: nothing, query: nothing } as const;
const envelope = { creditsUsed: z.int(), request_id: z.string() };

const SignInOptions = z
  .object({
    signUp: z.enum(['open', 'invite', 'closed']).describe('open: for every visitor; invite: with an invitation'),
    mail: z
      .boolean()
      .describe('Whether the installation mails links: without a mail host operators and admins pass them on'),
    passwordMin: z.int().describe('Minimum length of a password'),
    provider: z.object({ name: z.string() }).nullable().describe('OpenID Connect provider'),
    ...envelope,
  })
  .meta({ id: 'SignInOptions' });

const ProviderLink = z
  .object({
    url: z.string().describe('Address of the provider that the browser opens'),
    binding: z.string().describe('Secret that the browser keeps until it is back; once, within ten minutes'),
    ...envelope,
  })
  .meta({ id: 'ProviderLink' });

/** Sign-in through an OpenID Connect provider, and what the sign-in page offers. */
export const oidcRoutes = {
  getSignInOptions: route({
    ...around,
    id: 'getSignInOptions',
    method: 'get',
    path: '/auth/options',
    scope: 'public',
    summary: 'How people sign up and sign in on this installation',
    body: nothing,
    responses: { 200: SignInOptions },
  }),
  startOidc: route({
    ...around,
    id: 'startOidc',
    refusals: { conflict: 'The installation has no provider.', unavailable: 'The provider did not answer.' },
    method: 'post',
    path: '/auth/oidc/start',
    scope: 'public',
    summary: 'Start a sign-in with the OpenID Connect provider',
    description:
      'The provider sends the browser back to the page /auth/oidc, which sends `binding` and the query to POST /auth/oidc/login.',
    body: z.strictObject({}).meta({ id: 'StartOidc' }),
    responses: { 200: ProviderLink },
    example: {},
  }),
  logInWithOidc: route({
    ...around,
    id: 'logInWithOidc',
    refusals: {
      conflict: 'The installation has no provider.',
      unauthorized: 'The provider did not confirm the sign-in, or it was started in another browser.',
      forbidden: 'The address is not verified, of another domain, or not invited.',
    },
    method: 'post',
    path: '/auth/oidc/login',
    scope: 'public',
    summary: 'Complete a sign-in with the OpenID Connect provider',
    description:
      'The account is bound to issuer and subject. The first sign-in binds the account of the same address, if the provider has verified it, or creates one as the sign-up policy allows. With a second factor the state is `code_needed`.',
    body: z
      .strictObject({
        binding: LinkToken,
        query: z.string().min(1).max(8_192).describe('Query of the page, with its `?`'),
      })
      .meta({ id: 'OidcLogIn' }),
    responses: { 200: Session },
    example: { binding: 'abc', query: '?code=def&state=ghi' },
  }),
} as const;
