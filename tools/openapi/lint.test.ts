import { expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { buildOpenApi, routes } from '@tidemark/api';

/** Ids of changes start with `chg_`, so that no change is named `ignored`. */
const ACCEPTED = new Set(['#/paths/~1projects~1{id}~1changes~1ignored~1{ignored}']);

it('the OpenAPI document has no problem under the recommended rules of Redocly', async () => {
  const source = JSON.stringify(buildOpenApi(Object.values(routes), '/v1'));
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  const found = problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
  expect(found.filter(([rule, , at]) => rule !== 'no-ambiguous-paths' || !ACCEPTED.has(at ?? ''))).toEqual([]);
});
