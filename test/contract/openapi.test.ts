import { afterAll, describe, expect, test } from '@jest/globals';
import { routes } from '@tidemark/api';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { sharedFleet } from '../harness/fleet.ts';
import { operationsOf, readDocument } from './document.ts';

const fleet = sharedFleet();
const document = await readDocument(fleet);
const operations = operationsOf(document);

afterAll(() => fleet.close());

/** Returns every value under a key of this name, anywhere in the document. */
function valuesOf(key: string, at: unknown): unknown[] {
  if (typeof at !== 'object' || at === null) return [];
  return Object.entries(at).flatMap(([name, value]) => [...(name === key ? [value] : []), ...valuesOf(key, value)]);
}

function follow(ref: string): unknown {
  if (!ref.startsWith('#/')) return undefined;
  const parts = ref
    .slice(2)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
  return parts.reduce<unknown>(
    (at, part) =>
      typeof at === 'object' && at !== null ? Object.entries(at).find(([name]) => name === part)?.[1] : undefined,
    document,
  );
}

describe('the OpenAPI document', () => {
  test('states OpenAPI 3.1, title, version and server', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/);
    expect(document.info).toMatchObject({ title: 'Tidemark', version: '1.0' });
    expect(document.servers).toEqual([{ url: `${fleet.url}/v1` }]);
  });

  test('describes every route of the contract, and no other', () => {
    const described = operations.map(({ path, method, operation }) => `${operation.operationId} ${method} ${path}`);
    expect(described.sort()).toEqual(
      Object.values(routes)
        .map(({ id, method, path }) => `${id} ${method} ${path}`)
        .sort(),
    );
  });

  test('resolves every reference', () => {
    const refs = [...new Set(valuesOf('$ref', document).map(String))];
    expect(refs.length).toBeGreaterThan(0);
    expect(refs.filter((ref) => follow(ref) === undefined)).toEqual([]);
    const loops = Object.entries(document.components.schemas).filter(
      ([name, schema]) => '$ref' in schema && String(schema.$ref).endsWith(`/${name}`),
    );
    expect(loops.map(([name]) => name)).toEqual([]);
  });

  test('names every operation once, describes its responses and declares every path parameter', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, operation } of operations) {
      const responses = Object.entries(operation.responses);
      expect(responses.filter(([status]) => status.startsWith('2')).length).toBeGreaterThan(0);
      for (const [status, { description }] of responses) {
        expect(status).toMatch(/^[2-5]\d\d$/);
        expect(description).not.toBe('');
      }
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
      expect(inPath.every(({ required }) => required)).toBe(true);
    }
  });

  test('contains only valid JSON Schema 2020-12', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(document, 'openapi.json');
    for (const name of Object.keys(document.components.schemas))
      expect(() => ajv.compile({ $ref: `openapi.json#/components/schemas/${name}` })).not.toThrow();
    for (const schema of valuesOf('schema', document.paths)) {
      expect(ajv.validateSchema(Object(schema))).toBe(true);
    }
  });

  test('has a valid example for each body', () => {
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    ajv.addSchema(document, 'openapi.json');
    const examples = Object.values(routes).filter(({ example }) => example !== undefined);
    expect(examples.length).toBeGreaterThan(0);
    for (const { path, method, example } of examples) {
      const at = `openapi.json#/paths/${path.replaceAll('/', '~1')}/${method}/requestBody/content/application~1json/schema`;
      expect([path, ajv.validate({ $ref: at }, example), ajv.errors]).toEqual([path, true, null]);
    }
  });

  test('is rendered at /v1/docs', async () => {
    const docs = await fetch(`${fleet.url}/v1/docs`);
    expect(docs.status).toBe(200);
    expect(docs.headers.get('content-type')).toContain('text/html');
    const text = await docs.text();
    for (const { path } of operations) expect(text).toContain(path);
  });
});
