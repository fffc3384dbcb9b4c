import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { INVALID_JSON } from '@tidemark/testkit/cases/json-texts';
import { casesOf } from '@tidemark/testkit/cases/rule-cases';
import { makeResponseChecker, readDocument } from '../contract/document.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { startRecorder } from '../harness/recorder.ts';
import { startWeb } from '../web/server.ts';
import type { Sender } from './attack/attempt.ts';
import { fieldsOf } from './attack/fields.ts';
import { placePayloads, problemsOfPayload } from './attack/payload-attempts.ts';
import { type PayloadTable, payloadTables } from './attack/payloads.ts';
import { filledPath, makePool, ownedId, type Pool } from './attack/pool.ts';
import { runAll } from './attack/run-all.ts';
import { isWhole, plan, replay, seed } from './attack/settings.ts';
import { targetsOf } from './attack/targets.ts';
import { loopbackSpellings } from './internal.ts';

const fleet = sharedFleet();
const web = await startWeb({ isHostile: true });
const recorder = await startRecorder();
const document = await readDocument(fleet);
const targets = targetsOf(document);
const tables = payloadTables();
/** Requests of one table in the short part. */
const FEW = 8;
let pool: Pool;
let sender: Sender;

beforeAll(async () => {
  pool = await makePool(fleet, web, plan);
  sender = { url: fleet.url, key: () => pool.workspace.admin.key, check: makeResponseChecker(document) };
});
afterAll(async () => {
  await web.close();
  recorder.close();
  await fleet.close();
});

/** Sends the payloads of a table to their fields, and expects nothing wrong with any response. */
async function attack(table: PayloadTable): Promise<void> {
  const fields = fieldsOf(document, targets, pool);
  const all = placePayloads(table, fields, { seed, port: web.hostilePort });
  const placed = new Map(all.map((each) => [each.attempt, each]));
  const attempts = [...placed.keys()].filter((_, at) => isWhole || at % Math.ceil(placed.size / FEW) === 0);
  const { failures } = await runAll(sender, attempts, {
    expectation: (attempt, outcome) => {
      const each = placed.get(attempt);
      return each === undefined ? [] : problemsOfPayload(each, outcome);
    },
  });
  expect(failures.length === 0 ? '' : `${failures.join('\n')}\n\nagain with: ${replay(table.name)}`).toBe('');
  expect(recorder.connections()).toBe(0);
}

describe('a payload in any field that takes such input is refused or kept as it is:', () => {
  test.each(tables.map((each) => [each.name, each.payloads.length, each] as const))(
    '%s (%d)',
    async (_, count, table) => {
      expect(count).toBeGreaterThan(20);
      await attack(table);
    },
    300_000,
  );

  test('spellings of a loopback address', async () => {
    await attack({ name: 'spellings', kinds: ['url'], payloads: loopbackSpellings(recorder.port) });
  }, 120_000);
});

describe('a body that is no JSON', () => {
  // White space is no JSON, but is what a request without fields may have, as is a byte order mark alone.
  const texts = casesOf(INVALID_JSON).filter((text) => Buffer.from(text).toString().trim() !== '');

  test('is refused with 400 by every route with a body', async () => {
    const routes = targets.filter(({ body, isOfPeople }) => body !== undefined && !isOfPeople);
    const attempts = routes.flatMap((target, place) => {
      const path = filledPath(target.path, ownedId(pool, target.path), pool.run);
      return texts
        .filter((_, at) => isWhole || at % (2 * routes.length) === place)
        .map((body) => ({ target, path, body, note: 'a body that is no JSON' }));
    });
    const { failures } = await runAll(sender, attempts, {
      expectation: (_, { response }) =>
        response !== undefined && ![400, 413, 422].includes(response.status) ? [`answered ${response.status}`] : [],
    });
    expect(failures.join('\n')).toBe('');
  }, 300_000);
});
