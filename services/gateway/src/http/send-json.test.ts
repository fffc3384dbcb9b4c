import { expect, it } from '@jest/globals';
import { alternatives, asObject, buildOpenApi, type Json, resolve, routes } from '@tidemark/api';
import { readDocument } from '@tidemark/web-pages/docs';
import { hasSecret } from './send-json.ts';

const { operations, schemas } = readDocument(buildOpenApi(Object.values(routes), '/v1'));
/** Fields that describe a secret without containing it. */
const HARMLESS = new Set(['secretHidden', 'previousSecretUntil', 'secrets', 'secretsSet']);
const MAX_DEPTH = 8;

/** Returns the paths of the fields of a response that contain a secret. */
function secretsIn(schema: Json, path: readonly string[] = []): string[] {
  if (path.length > MAX_DEPTH) return [];
  const resolved = resolve(schema, schemas);
  const inside = Object.entries(asObject(resolved['properties'])).flatMap(([name, part]) => [
    ...(/secret/i.test(name) && !HARMLESS.has(name) ? [[...path, name].join('.')] : []),
    ...secretsIn(asObject(part), [...path, name]),
  ]);
  const parts = [...alternatives(resolved), asObject(resolved['items'])].filter((one) => Object.keys(one).length > 0);
  return [...inside, ...parts.flatMap((part) => secretsIn(part, [...path, '*']))];
}

const withSecret = operations.flatMap(({ id, responses }) =>
  responses.flatMap(({ schema }) => (schema === undefined ? [] : secretsIn(schema).map((field) => ({ id, field })))),
);

it('the contract has responses with the secret of a key, of a webhook and of a job', () => {
  expect(withSecret.map(({ id }) => id)).toEqual(expect.arrayContaining(['createKey', 'getWebhook', 'rotateSecret']));
});

it.each(withSecret)('hasSecret recognises the response of $id with $field', ({ field }) => {
  expect(hasSecret({ [field]: 'whsec_x' })).toBe(true);
  expect(hasSecret({ [field]: null })).toBe(false);
});
