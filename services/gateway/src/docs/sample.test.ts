import { expect, it } from '@jest/globals';
import { buildOpenApi, routes } from '@tidemark/api';
import { readDocument } from './openapi.ts';
import { sampleId, sampleOf } from './sample.ts';

const all = Object.values(routes);
const { operations, schemas } = readDocument(buildOpenApi(all, 'https://api.example.com/v1'));

const samples = operations.flatMap(({ id, path, responses: shown }) =>
  shown.flatMap(({ status, schema }) => (schema === undefined ? [] : [{ id, path, status, schema }])),
);

it.each(samples)('sampleOf returns a valid response of $id with status $status', ({ id, path, status, schema }) => {
  const route = all.find((one) => one.id === id);
  const parsed = route?.responses[Number(status)]?.safeParse(sampleOf(schema, schemas, path));
  expect(parsed?.error?.issues).toBeUndefined();
  expect(parsed?.success).toBe(true);
});

it.each([
  ['/scrape/{id}', 'job_'],
  ['/me/keys/{id}', 'key_'],
  ['/widgets/{id}', 'widget_'],
])('sampleId returns an id for %s with the prefix %s', (path, prefix) => {
  expect(sampleId(path)).toMatch(new RegExp(`^${prefix}[0-9a-z]{26}$`));
});
