import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeResponseChecker, readDocument } from '../contract/document.ts';
import { corpus } from '../harness/corpora.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { startRecorder } from '../harness/recorder.ts';
import { startWeb } from '../web/server.ts';
import type { Sender } from './attack/attempt.ts';
import { fieldCorpora, filesOf } from './attack/corpora.ts';
import { fieldsOf } from './attack/fields.ts';
import { SERVED } from './attack/hostile-files.ts';
import { placePayloads, problemsOfPayload } from './attack/payload-attempts.ts';
import { filledPath, makePool, ownedId, type Pool } from './attack/pool.ts';
import { runAll } from './attack/run-all.ts';
import { isWhole, plan, replay, seed } from './attack/settings.ts';
import { targetsOf } from './attack/targets.ts';
import { loopbackSpellings } from './internal.ts';

const fleet = sharedFleet();
const web = await startWeb();
const recorder = await startRecorder();
const document = await readDocument(fleet);
const targets = targetsOf(document);
const corpora = fieldCorpora();
/** Requests of one corpus in the short part. */
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

/** Sends a corpus to its fields, and expects nothing wrong with any answer. */
async function attack(corpusOf: (typeof corpora)[number]): Promise<void> {
  const fields = fieldsOf(document, targets, pool);
  const all = placePayloads(corpusOf, fields, { seed, origin: web.url('') });
  const placed = new Map(all.map((each) => [each.attempt, each]));
  const attempts = [...placed.keys()].filter((_, at) => isWhole || at % Math.ceil(placed.size / FEW) === 0);
  const { failures } = await runAll(sender, attempts, {
    expectation: (attempt, outcome) => {
      const each = placed.get(attempt);
      return each === undefined ? [] : problemsOfPayload(each, outcome);
    },
  });
  expect(failures.length === 0 ? '' : `${failures.join('\n')}\n\nagain with: ${replay(corpusOf.name)}`).toBe('');
  expect(recorder.connections()).toBe(0);
}

describe('a payload in any field that takes such input is refused or kept as it is:', () => {
  test.each(
    corpora.map(
      (each) =>
        [`${each.name} (${each.payloads.length === 0 ? 'corpus absent' : each.payloads.length})`, each] as const,
    ),
  )('%s', async (_, each) => attack(each), 300_000);

  test('spellings of a loopback address', async () => {
    await attack({ name: 'spellings', origin: '', kinds: ['url'], payloads: loopbackSpellings(recorder.port) });
  }, 120_000);
});

describe('a body that is no JSON', () => {
  // An empty body is no JSON, but is what a request without fields may have.
  const files = [...filesOf('JSONTestSuite/test_parsing')].filter(
    ([name]) => /\/n_[^/]*$/.test(name) && !/no_data/.test(name),
  );

  test(`is refused with 400 by every route with a body (${files.length === 0 ? 'corpus absent' : `${files.length} files`})`, async () => {
    const routes = targets.filter(({ body, isOfPeople }) => body !== undefined && !isOfPeople);
    const attempts = routes.flatMap((target, place) => {
      const path = filledPath(target.path, ownedId(pool, target.path), pool.run);
      return files
        .filter((_, at) => isWhole || at % (2 * routes.length) === place)
        .map(([name, body]) => ({ target, path, body, note: name }));
    });
    const { failures } = await runAll(sender, attempts, {
      expectation: (_, { answer }) =>
        answer !== undefined && ![400, 413, 422].includes(answer.status) ? [`answered ${answer.status}`] : [],
    });
    expect(failures.join('\n')).toBe('');
  }, 300_000);
});

test('every folder of the corpora is used', () => {
  const folder = corpus('attack');
  const isUsed = (name: string): boolean =>
    [...corpora.map(({ origin }) => origin), ...SERVED, 'JSONTestSuite', 'llhttp'].some(
      (origin) => origin === name || origin.startsWith(`${name}/`),
    );
  const names = folder === undefined ? [] : readdirSync(folder).filter((name) => !/\.md$/.test(name));
  const inside =
    folder === undefined ? [] : readdirSync(`${folder}/PayloadsAllTheThings`).filter((name) => name !== 'LICENSE');
  const all = [...names, ...inside.map((name) => `PayloadsAllTheThings/${name}`)];
  expect(all.filter((name) => !isUsed(name))).toEqual([]);
});
