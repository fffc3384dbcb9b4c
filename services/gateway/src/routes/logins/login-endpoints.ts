import { routes, toSessionCookies } from '@tidemark/api';
import { ProjectsServiceService as Rpc } from '@tidemark/contracts/projects/v1/projects';
import { AppError } from '@tidemark/errors';
import type { Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { checkedLoginCursor, checkedLoginId } from '../../requests/checked-login.ts';
import { toLogin } from './login-response.ts';

/** A site may take its time to answer a test. */
const TEST_WITHIN_MS = 25_000;

/** Sessions of signed-in visitors. What comes in as cookies goes to be sealed, and is never answered, logged or named in a refusal. */
export function loginEndpoints(projects: Peer): Endpoint[] {
  return [...keepEndpoints(projects), ...oneLoginEndpoints(projects)];
}

function keepEndpoints(projects: Peer): Endpoint[] {
  return [
    endpoint(routes.listLogins, async ({ query, baseUrl, call, requestId }) => {
      const { limit } = query;
      const found = await projects.call(Rpc.listLogins, { limit, cursor: checkedLoginCursor(query.cursor) }, call);
      const at = `${baseUrl}/logins?limit=${limit}`;
      const next = found.next === '' ? null : `${at}&cursor=${encodeURIComponent(found.next)}`;
      const data = found.logins.map(toLogin);
      return { status: 200, body: { data, next, cursor: found.next || null, creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.importLogin, async ({ body, baseUrl, call, requestId }) => {
      const { site, name = '', terms_accepted: termsAccepted } = body;
      const cookies = toSessionCookies(body.cookies, site);
      const { login } = await projects.call(Rpc.importLogin, { site, name, cookies, termsAccepted }, call);
      const kept = toLogin(login);
      const headers = { location: `${baseUrl}/logins/${kept.id}` };
      return { status: 201, body: { ...kept, creditsUsed: 0, request_id: requestId }, headers };
    }),
  ];
}

function oneLoginEndpoints(projects: Peer): Endpoint[] {
  return [
    endpoint(routes.patchLogin, async ({ params, body, call, requestId }) => {
      const cookies = body.cookies === undefined ? [] : toSessionCookies(body.cookies);
      const change = { id: checkedLoginId(params.id), name: body.name, cookies };
      const { login } = await projects.call(Rpc.updateLogin, change, call);
      return { status: 200, body: { ...toLogin(login), creditsUsed: 0, request_id: requestId } };
    }),

    endpoint(routes.deleteLogin, async ({ params, call }) => {
      await projects.call(Rpc.deleteLogin, { id: checkedLoginId(params.id) }, call);
      return { status: 204 };
    }),

    endpoint(routes.testLogin, async ({ params, call, requestId }) => {
      const asked = { id: checkedLoginId(params.id) };
      const { login, probe } = await projects.call(Rpc.testLogin, asked, call, { deadlineMs: TEST_WITHIN_MS });
      if (probe === undefined) throw new AppError('internal', 'projects answered without a test');
      const { answered, showsLogin, reason } = probe;
      const test = {
        ...{ answered, showsLogin, reason },
        httpStatus: probe.httpStatus || null,
        landedUrl: probe.landedUrl || null,
      };
      return { status: 200, body: { ...toLogin(login), test, creditsUsed: 0, request_id: requestId } };
    }),
  ];
}
