import { z } from 'zod';
import { nothing, route } from '../route.ts';
import { Login, LoginName, LoginSite, LoginSummary, LoginTest, Session } from '../schemas/login.ts';
import { Cursor, limit, listOf } from '../schemas/parts.ts';

const all = { tag: 'Saved logins', params: nothing };
const one = {
  tag: 'Saved logins',
  params: z.strictObject({ id: z.string().describe('The saved login, such as lgn_01j…') }),
  query: nothing,
};

export const loginRoutes = {
  listLogins: route({
    ...all,
    id: 'listLogins',
    method: 'get',
    path: '/logins',
    scope: 'read',
    summary: 'Saved logins, newest first',
    description: 'A key restricted to some projects sees the logins that these projects use.',
    query: z.strictObject({ cursor: Cursor, limit: limit(100, 1_000) }),
    body: nothing,
    responses: { 200: listOf(LoginSummary) },
  }),
  importLogin: route({
    feature: 'saved_logins',
    ...all,
    id: 'importLogin',
    refusals: {
      plan_limit: 'The workspace has as many saved logins as it may.',
      forbidden: 'The key is restricted to projects.',
    },
    method: 'post',
    path: '/logins',
    scope: 'write',
    summary: 'Save a signed-in session',
    description:
      'Sign in with your own browser and send its cookies. Only unexpired cookies of the site are stored. A project, a crawl or a scrape whose configuration has `login_id` fetches with the session. When the session has ended, they stop; they never continue signed out.',
    query: nothing,
    body: z
      .strictObject({
        site: LoginSite,
        name: LoginName.optional(),
        cookies: Session,
        terms_accepted: z
          .literal(true, { error: 'expected true: the session must be yours, and the site must permit this use' })
          .describe('Confirms that the session is yours and that the site permits this use'),
      })
      .meta({ id: 'NewLogin' }),
    responses: { 201: Login },
    example: {
      site: 'example.com',
      name: 'The reader’s account',
      cookies: [{ name: 'session', value: '…', domain: '.example.com', path: '/', secure: true, expires: 1893456000 }],
      terms_accepted: true,
    },
  }),
  patchLogin: route({
    ...one,
    id: 'patchLogin',
    refusals: { forbidden: 'The key is restricted to projects.' },
    method: 'patch',
    path: '/logins/{id}',
    scope: 'write',
    summary: 'Rename a saved login, or replace its session',
    description: 'Fields that are not given stay unchanged.',
    body: z.strictObject({ name: LoginName.optional(), cookies: Session.optional() }).meta({ id: 'LoginPatch' }),
    responses: { 200: Login },
    example: { name: 'The editor’s account' },
  }),
  deleteLogin: route({
    ...one,
    id: 'deleteLogin',
    refusals: { forbidden: 'The key is restricted to projects.' },
    method: 'delete',
    path: '/logins/{id}',
    scope: 'write',
    summary: 'Delete a saved login',
    description: 'The session is deleted at once. Projects and runs that use it stop.',
    body: nothing,
    responses: { 204: undefined },
  }),
  testLogin: route({
    ...one,
    id: 'testLogin',
    method: 'post',
    path: '/logins/{id}/test',
    scope: 'write',
    summary: 'Test a saved login',
    description:
      'Fetches the front page of the site once, by plain http with the session, and reports whether the site responded and whether it showed a login page. Free. A page that requires a browser looks the same either way, so a run is the real test.',
    body: nothing,
    responses: { 200: LoginTest },
  }),
} as const;
