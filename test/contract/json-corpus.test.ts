import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { errorOf } from '../harness/api.ts';
import { corpus } from '../harness/corpora.ts';
import { sharedFleet } from '../harness/fleet.ts';
import type { Workspace } from '../harness/workspaces.ts';

const fleet = sharedFleet();
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(() => fleet.close());

const folder = corpus('attack/JSONTestSuite/test_parsing');
const files = folder === undefined ? [] : readdirSync(folder);

/** Returns the responses to the files of a kind, each sent as a body. */
async function answersTo(kind: string): Promise<[file: string, status: number, code: string][]> {
  const answers: [string, number, string][] = [];
  for (const file of files.filter((name) => name.startsWith(kind))) {
    const answer = await workspace.writer.request('POST', '/scrape', { body: readFileSync(join(folder ?? '', file)) });
    answers.push([file, answer.status, errorOf(answer).code]);
  }
  return answers;
}

describe(`JSONTestSuite (${files.length === 0 ? 'ABSENT, see the warning' : `${files.length} files`})`, () => {
  test('every invalid JSON text is rejected as a validation error', async () => {
    const wrong = (await answersTo('n_')).filter(
      ([, status, code]) => ![400, 422].includes(status) || code !== 'validation',
    );
    expect(wrong).toEqual([]);
  });

  test('every valid JSON text is parsed and rejected only for its fields', async () => {
    expect((await answersTo('y_')).filter(([, status]) => status !== 422)).toEqual([]);
  });

  test('every text on which parsers differ is rejected', async () => {
    expect((await answersTo('i_')).filter(([, status]) => ![400, 422].includes(status))).toEqual([]);
  });
});
