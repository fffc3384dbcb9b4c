import { afterAll, expect, test } from '@jest/globals';
import { type AnyRoute, routes } from '@tidemark/api';
import { errorOf } from '../harness/api.ts';
import { BARE_PLAN } from '../harness/catalogue.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { pathOf, unusedIdAt } from '../harness/paths.ts';

const fleet = sharedFleet();
afterAll(() => fleet.close());

interface Listed {
  readonly method: string;
  readonly path: string;
}

const nameOf = ({ method, path }: Listed): string => `${method.toUpperCase()} ${path}`;

test('GET /meta lists exactly the routes that a workspace on a plan without features is refused with 402 plan_limit', async () => {
  const workspace = await fleet.workspaces.make(BARE_PLAN);
  const refused = [];
  for (const route of Object.values(routes).filter(({ scope }: AnyRoute) => scope !== 'public')) {
    const { method, path }: AnyRoute = route;
    const sent = await workspace.admin.request(method.toUpperCase(), pathOf(route, unusedIdAt(path)), {
      ...(method === 'post' || method === 'patch' ? { body: { unknown: true } } : {}),
    });
    if (sent.status === 402 && errorOf(sent).code === 'plan_limit') refused.push(nameOf({ method, path }));
  }
  const { featureRoutes } = Object((await workspace.admin.get('/meta')).body);
  expect(refused.toSorted()).toEqual(featureRoutes.map(nameOf).toSorted());
  expect(refused.length).toBeGreaterThan(3);
});

test('a path without the version is refused with 404 that names the version, which most such base URLs lack', async () => {
  const response = await fetch(`${fleet.url}/projects`, { method: 'POST' });
  expect({ status: response.status, body: await response.json() }).toMatchObject({
    status: 404,
    body: { code: 'not_found', error: expect.stringContaining('every route begins with /v1') },
  });
});
