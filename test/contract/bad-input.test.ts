import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { addresses } from './bad-input/addresses.ts';
import { fields } from './bad-input/fields.ts';
import { pages } from './bad-input/pages.ts';
import { projects } from './bad-input/projects.ts';
import { receivers } from './bad-input/receivers.ts';
import { requests } from './bad-input/requests.ts';

/** Wording of the validation library, which a client must never read. */
const WORDING_OF_ZOD = /invalid (input|string|option|key)|too (big|small):|unrecognized|received|[<>]=\d/i;
const fleet = sharedFleet();
const table = [...addresses, ...fields, ...pages, ...projects, ...receivers, ...requests];
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(() => fleet.close());

test.each(table.map((row, i) => [i + 1, row.name, row] as const))(
  '%i: %s is refused, and the response names what is wrong',
  async (_, __, row) => {
    const {
      method = 'POST',
      path = '/scrape',
      body,
      headers = {},
      status,
      code = status === 413 ? 'too_large' : 'validation',
      names,
    } = row;
    const response = await workspace.admin.request(method, path, { body, headers });
    const error = errorOf(response);
    expect({ status: error.status, code: error.code, message: error.error }).toEqual({
      status,
      code,
      message: expect.stringContaining(names),
    });
    expect(error.error).not.toMatch(WORDING_OF_ZOD);
    expect(error.request_id).toBe(response.headers.get('x-request-id'));
  },
);

test('bad input costs no credit, queues no job, creates no project or connection, and does not pollute prototypes', async () => {
  expect(await workspace.admin.credits()).toEqual({ remaining: 1_000, reserved: 0, usedThisMonth: 0 });
  expect((await workspace.admin.get('/scrape')).body).toMatchObject({ data: [] });
  expect((await workspace.admin.get('/projects')).body).toMatchObject({ data: [] });
  expect((await workspace.admin.get('/connections')).body).toMatchObject({ data: [] });
  expect((await workspace.admin.get('/me/keys')).body).toMatchObject({ data: { length: 3 } });
  expect(await fleet.api('').get('/meta')).toMatchObject({ status: 200 });
});
