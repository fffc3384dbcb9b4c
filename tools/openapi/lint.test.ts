import { expect, it } from '@jest/globals';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { buildOpenApi, routes } from '@tidemark/api';

it('the OpenAPI document has no problem under the recommended rules of Redocly', async () => {
  const source = JSON.stringify(buildOpenApi(Object.values(routes), '/v1'));
  const config = await createConfig({ extends: ['recommended'] });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
});
