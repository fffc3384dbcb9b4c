import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeResponseChecker, readDocument } from '../contract/document.ts';
import { queryOf } from '../contract/unused-ids.ts';
import type { ApiResponse } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { NO_RUN } from '../harness/paths.ts';
import type { MadeKey } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';
import { type Attempt, type Sender, send } from './attack/attempt.ts';
import { fieldsOf } from './attack/fields.ts';
import { filledPath, makePool, ownedId, type Pool } from './attack/pool.ts';
import { type Expectation, runAll } from './attack/run-all.ts';
import { CONCURRENCY, isWhole, plan, seed } from './attack/settings.ts';
import { type Target, targetsOf } from './attack/targets.ts';

const fleet = sharedFleet();
const web = await startWeb();
const document = await readDocument(fleet);
const targets = targetsOf(document);
const check = makeResponseChecker(document);
const ORDER: readonly string[] = ['public', 'read', 'write', 'admin'];
const KINDS = ['no key', 'an unknown key', 'an expired key', 'read', 'write', 'admin'] as const;
type KeyKind = (typeof KINDS)[number];

/** Of the pairs of field and id the short part sends one in so many. */
const ONE_OF = 6;

let mine: Pool;
let other: Pool;
let expired: MadeKey;
/** Limited to a project of the workspace that is not the pool's. */
let limited: MadeKey;

beforeAll(async () => {
  [mine, other] = await Promise.all([makePool(fleet, web, plan), makePool(fleet, web, plan)]);
  expired = await fleet.workspaces.key(mine.workspace.id, { scopes: ['admin'], expiresInDays: 1 });
  await fleet.sql("UPDATE identity.api_keys SET expires_at = now() - interval '1 second' WHERE id = $1", [
    expired.keyId,
  ]);
  const second = await mine.workspace.writer.post('/projects', { seed: web.url('/article'), name: 'Visible' });
  const { id } = second.body as { id: string };
  limited = await fleet.workspaces.key(mine.workspace.id, { scopes: ['admin'], projects: [id] });
});
afterAll(async () => {
  await web.close();
  await fleet.close();
});

const senderOf = (key: string): Sender => ({ url: fleet.url, key: () => key, check });

function keyOf(kind: KeyKind): string {
  const { reader, writer, admin } = mine.workspace;
  const keys: Record<KeyKind, string> = {
    'no key': '',
    'an unknown key': `service_${'0'.repeat(38)}`,
    'an expired key': expired.key,
    read: reader.key,
    write: writer.key,
    admin: admin.key,
  };
  return keys[kind];
}

/** A request without effect: its id does not exist, and its body has a field that no route has. */
const idle = (target: Target): Attempt => ({
  target,
  path: filledPath(target.path, 'nothing', NO_RUN),
  ...(target.body === undefined ? {} : { body: '{"nothing":true}' }),
  note: 'without effect',
});

/** The statuses that the document allows a key of some kind. */
function expectedOf({ scope, isOfPeople }: Target, kind: KeyKind): (status: number) => boolean {
  if (scope === 'public') return (status) => status < 500 && status !== 401 && status !== 403;
  // Failed authentications may be limited by address.
  if (ORDER.indexOf(kind) === -1) return (status) => status === 401 || status === 429;
  if (ORDER.indexOf(kind) < ORDER.indexOf(scope)) return (status) => status === 403;
  if (isOfPeople) return (status) => status === 403;
  return (status) => [200, 400, 404, 422].includes(status);
}

/** Sends one request to each route and expects every response to be right. */
async function expectAll(key: string, attempts: readonly Attempt[], expectation: Expectation): Promise<void> {
  const { failures, sent } = await runAll(senderOf(key), attempts, { expectation });
  expect(failures.join('\n')).toBe('');
  expect(sent).toBe(attempts.length);
}

describe('the document states what a key may do, and every route answers so', () => {
  test.each(KINDS)('with %s', async (kind) => {
    await expectAll(keyOf(kind), targets.map(idle), ({ target }, { response }) => {
      const status = response?.status ?? 0;
      return expectedOf(target, kind)(status) ? [] : [`${status} for ${kind}; the route requires ${target.scope}`];
    });
  });
});

/** What a response says, without what differs with each request. What was made or started has an id and a time of its own. */
const meaningOf = (response: ApiResponse | undefined, id: string): string =>
  response === undefined || response.status < 300
    ? `${response?.status}`
    : `${response.status} ${response.text.replaceAll(/req_\w+/g, 'req').replaceAll(id, 'the id')}`;

/** Everything that names the workspace whose data must not be seen. */
const secretsOf = ({ owned, run, workspace }: Pool): string[] => [...Object.values(owned), run, workspace.id];

const leaks = (response: ApiResponse | undefined, pool: Pool, sent: string): string[] =>
  secretsOf(pool).filter((secret) => secret !== sent && response?.text.includes(secret) === true);

/** A request for a resource of the pool. */
const named = (target: Target, pool: Pool): Attempt => ({
  target,
  path: `${filledPath(target.path, ownedId(pool, target.path), pool.run)}${queryOf(target)}`,
  ...(target.body === undefined ? {} : { body: '{}' }),
  note: 'a resource that the key must not see',
});

/** What is wrong with the response for a resource that must not be seen. A body that lacks a field may be refused before the id is looked up. */
function hidden({ target }: Attempt, response: ApiResponse | undefined): string[] {
  const status = response?.status ?? 0;
  const shown = leaks(response, mine, ownedId(mine, target.path));
  return [
    ...(status === 404 || (status === 422 && target.body !== undefined) ? [] : [`answered ${status}`]),
    ...shown.map((id) => `shows ${id}`),
  ];
}

describe('ids of another workspace are answered as ids that do not exist,', () => {
  // The routes of people refuse every key; test/isolation/people.test.ts covers their ids.
  const withId = targets.filter(
    ({ path, isOfPeople }) => path.includes('{') && !isOfPeople && !path.startsWith('/me/notifications'),
  );

  test('in every path', async () => {
    await expectAll(
      other.workspace.admin.key,
      withId.map((target) => named(target, mine)),
      (attempt, { response }) => hidden(attempt, response),
    );
  });

  test('in every other field that takes an id', async () => {
    const fields = fieldsOf(document, targets, other).filter(({ kind }) => kind === 'id' || kind === 'cursor');
    const wrong: string[] = [];
    const sender = senderOf(other.workspace.admin.key);
    const responseTo = async (place: (value: string) => Attempt, id: string) =>
      (await send(sender, place(id))).response;
    const all = [...new Set([...Object.values(mine.owned), mine.run])];
    const pairs = fields.flatMap(({ name, placements: [place] }) =>
      all.flatMap((id) => (place === undefined ? [] : [{ name, place, id }])),
    );
    const waiting = pairs.filter((_, at) => isWhole || at % ONE_OF === seed % ONE_OF).values();
    const worker = async (): Promise<void> => {
      for (const { name, place, id } of waiting) {
        // The same kind of id with another last character: it does not exist.
        const unknown = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
        const [foreign, absent] = [await responseTo(place, id), await responseTo(place, unknown)];
        const meanings = [meaningOf(foreign, id), meaningOf(absent, unknown)];
        if (meanings[0] !== meanings[1] || leaks(foreign, mine, id).length > 0)
          wrong.push(`${name}: ${meanings.map((text) => text.slice(0, 300)).join(' instead of ')}`);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    expect(wrong).toEqual([]);
  }, 120_000);
});

describe('a key limited to one project', () => {
  const ofProject = targets.filter(({ path }) => path.startsWith('/projects/{id}'));

  test('is answered 404 for another project by every route', async () => {
    await expectAll(
      limited.key,
      ofProject.map((target) => named(target, mine)),
      (attempt, { response }) => hidden(attempt, response),
    );
  });

  test('sees that project in no list', async () => {
    const hidden = [mine.owned['/projects'] ?? '', mine.run];
    const lists = targets.filter(
      // The requests of the key itself, which the test before sent to that project, are listed with their paths.
      ({ method, path, scope }) =>
        method === 'GET' && !path.includes('{') && scope !== 'public' && path !== '/me/requests',
    );
    const seen: string[] = [];
    for (const target of lists) {
      const { response } = await send(senderOf(limited.key), { target, path: target.path, note: 'a list' });
      if (hidden.some((id) => response?.text.includes(id) === true)) seen.push(target.path);
    }
    expect(seen).toEqual([]);
  });
});
