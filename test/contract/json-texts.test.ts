import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { INVALID_JSON, type JsonText, TOLERATED_JSON, VALID_JSON } from '@tidemark/testkit/cases/json-texts';
import type { RuleCases } from '@tidemark/testkit/cases/rule-cases';
import { errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import type { Workspace } from '../harness/workspaces.ts';

const fleet = sharedFleet();
let workspace: Workspace;

beforeAll(async () => {
  workspace = await fleet.workspaces.make();
});
afterAll(() => fleet.close());

/** A text as a failure shows it. */
const shown = (text: JsonText): string =>
  typeof text === 'string' ? JSON.stringify(text.slice(0, 100)) : `bytes ${Buffer.from(text).toString('hex')}`;

/** Returns the responses to the texts of a rule, each sent as a body. */
async function responsesTo({ cases }: RuleCases<JsonText>): Promise<[text: string, status: number, code: string][]> {
  const responses: [string, number, string][] = [];
  for (const text of cases) {
    const response = await workspace.writer.request('POST', '/scrape', { body: Buffer.from(text) });
    responses.push([shown(text), response.status, errorOf(response).code]);
  }
  return responses;
}

const byRule = (table: readonly RuleCases<JsonText>[]) =>
  table.map((one) => [`${one.rule} (${one.source})`, one] as const);

describe('a JSON text in the body of a request', () => {
  test.each(byRule(INVALID_JSON))('is rejected as a validation error where it is invalid: %s', async (_, texts) => {
    const wrong = (await responsesTo(texts)).filter(
      ([, status, code]) => ![400, 422].includes(status) || code !== 'validation',
    );
    expect(wrong).toEqual([]);
  });

  test.each(byRule(VALID_JSON))(
    'is parsed and rejected only for its fields where it is valid: %s',
    async (_, texts) => {
      expect((await responsesTo(texts)).filter(([, status]) => status !== 422)).toEqual([]);
    },
  );

  test.each(byRule(TOLERATED_JSON))('is rejected where parsers differ: %s', async (_, texts) => {
    expect((await responsesTo(texts)).filter(([, status]) => ![400, 422].includes(status))).toEqual([]);
  });
});
