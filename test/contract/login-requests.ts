import type { Good, RouteId, TestServers } from './requests.ts';

const COOKIES = [{ name: 'visited', value: 'yes', path: '/', expires: 1_893_456_000 }];

const sessionAt = (site: string) => ({ site, name: 'The keeper', cookies: COOKIES, terms_accepted: true });

/** Path of a saved login. */
async function aLogin({ workspace, web }: TestServers): Promise<string> {
  const { status, body, text } = await workspace.writer.post('/logins', sessionAt(web.url('/')));
  if (status !== 201) throw new Error(`expected a login, got ${status} ${text}`);
  return `/logins/${(body as { id: string }).id}`;
}

/** Valid requests of the routes of saved logins, one for each success status. */
export const goodOfLogins = {
  listLogins: {
    200: async (servers) => {
      await aLogin(servers);
      return { path: '/logins?limit=5' };
    },
  },
  importLogin: { 201: ({ web }) => ({ path: '/logins', body: sessionAt(web.url('/')) }) },
  patchLogin: {
    200: async (servers) => ({ path: await aLogin(servers), body: { name: 'Another', cookies: COOKIES } }),
  },
  deleteLogin: { 204: async (servers) => ({ path: await aLogin(servers) }) },
  testLogin: { 200: async (servers) => ({ path: `${await aLogin(servers)}/test` }) },
} as const satisfies Partial<Record<RouteId, Good>>;
