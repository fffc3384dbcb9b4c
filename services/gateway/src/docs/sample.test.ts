import { expect, it } from '@jest/globals';
import { buildOpenApi, routes } from '@tidemark/api';
import { readDocument } from './openapi.ts';
import { sampleId, sampleOf } from './sample.ts';

const all = Object.values(routes);
const { operations, schemas } = readDocument(buildOpenApi(all, 'https://api.example.com/v1'));

const answers = operations.flatMap(({ id, path, answers: shown }) =>
  shown.flatMap(({ status, schema }) => (schema === undefined ? [] : [{ id, path, status, schema }])),
);

it.each(answers)(
  'the answer shown for $id, status $status, is one its route could give',
  ({ id, path, status, schema }) => {
    const route = all.find((one) => one.id === id);
    const parsed = route?.responses[Number(status)]?.safeParse(sampleOf(schema, schemas, path));
    expect(parsed?.error?.issues).toBeUndefined();
    expect(parsed?.success).toBe(true);
  },
);

it.each([
  ['/scrape/{id}', 'job_'],
  ['/me/keys/{id}', 'key_'],
  ['/widgets/{id}', 'widget_'],
])('an id of %s begins with %s', (path, prefix) => {
  expect(sampleId(path)).toMatch(new RegExp(`^${prefix}[0-9a-z]{26}$`));
});
