import { LoginId, routes, toSessionCookies } from '@tidemark/api';
import { LoginServiceService as Rpc } from '@tidemark/contracts/scrape/v1/logins';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { checkedLoginId } from '../../requests/checked-login.ts';
import { isRestricted, listLoginProjects } from './login-projects.ts';
import { toLogin } from './login-response.ts';

/** Deadline of a test, ms: the site may answer slowly. */
const TEST_WITHIN_MS = 25_000;

/** Scrape stores the logins; projects lists the projects that name them. */
interface LoginPeers {
  readonly scrape: Peer;
  readonly projects: Peer;
}

const isLoginId = (id: string): boolean => LoginId.safeParse(id).success;

/** Routes of saved logins. Cookies of a request are sent to be sealed, and are never part of a response, a log line or an error. */
export function loginEndpoints(peers: LoginPeers): Endpoint[] {
  return [...collectionEndpoints(peers), ...oneLoginEndpoints(peers)];
}

function collectionEndpoints({ scrape, projects }: LoginPeers): Endpoint[] {
  return [
    endpoint(routes.listLogins, async ({ query, baseUrl, call, requestId, cursors }) => {
      const { limit } = query;
      const cursor = cursors.open(query.cursor, isLoginId);
      const visible = isRestricted(call) ? await listLoginProjects(projects, call, []) : undefined;
      const projectLoginIds = [...(visible?.keys() ?? [])];
      const { logins, next: nextCursor } = await scrape.call(Rpc.listLogins, { limit, cursor, projectLoginIds }, call);
      const ids = logins.map(({ id }) => id);
      const naming = visible ?? (ids.length === 0 ? new Map() : await listLoginProjects(projects, call, ids));
      const data = logins.map((login) => toLogin(login, naming.get(login.id) ?? []));
      const at = `${baseUrl}/logins?limit=${limit}`;
      const nextPage = cursors.nextPage(at, nextCursor);
      return { status: 200, body: { data, ...nextPage, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.importLogin, async ({ body, baseUrl, call, requestId }) => {
      const { site, name = '', terms_accepted: termsAccepted } = body;
      const cookies = toSessionCookies(body.cookies, site);
      const { login } = await scrape.call(Rpc.importLogin, { site, name, cookies, termsAccepted }, call);
      const saved = toLogin(login, []);
      const headers = { location: `${baseUrl}/logins/${saved.id}` };
      return { status: 201, body: { ...saved, creditsUsed: 0, request_id: requestId }, headers };
    }),
  ];
}

function oneLoginEndpoints({ scrape, projects }: LoginPeers): Endpoint[] {
  const projectsNaming = async (call: CallContext, id: string): Promise<readonly string[]> =>
    (await listLoginProjects(projects, call, [id])).get(id) ?? [];
  return [
    endpoint(routes.patchLogin, async ({ params, body, call, requestId }) => {
      const id = checkedLoginId(params.id);
      const cookies = body.cookies === undefined ? [] : toSessionCookies(body.cookies);
      const projectIds = await projectsNaming(call, id);
      const change = { id, name: body.name, cookies, namedByProject: projectIds.length > 0 };
      const { login } = await scrape.call(Rpc.updateLogin, change, call);
      return { status: 200, body: { ...toLogin(login, projectIds), creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.deleteLogin, async ({ params, call }) => {
      const id = checkedLoginId(params.id);
      const namedByProject = isRestricted(call) && (await projectsNaming(call, id)).length > 0;
      await scrape.call(Rpc.deleteLogin, { id, namedByProject }, call);
      return { status: 204 };
    }),

    endpoint(routes.testLogin, async ({ params, call, requestId }) => {
      const id = checkedLoginId(params.id);
      const projectIds = await projectsNaming(call, id);
      const request = { id, namedByProject: projectIds.length > 0 };
      const { login, probe } = await scrape.call(Rpc.testLogin, request, call, { deadlineMs: TEST_WITHIN_MS });
      if (probe === undefined) throw new AppError('internal', 'scrape returned no probe');
      const { answered, showsLogin, reason, httpStatus, landedUrl } = probe;
      const test = { answered, showsLogin, reason, httpStatus: httpStatus ?? null, landedUrl: landedUrl || null };
      return { status: 200, body: { ...toLogin(login, projectIds), test, creditsUsed: 0, request_id: requestId } };
    }),
  ];
}
