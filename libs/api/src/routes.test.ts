import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { type AnyRoute, buildOpenApi, routes } from './index.ts';

const all: [string, AnyRoute][] = Object.entries(routes);
const fieldsOf = (schema: z.ZodType): string[] => {
  const shape: unknown = Reflect.get(schema, 'shape');
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : [];
};

describe('the routes', () => {
  it('are known each by an id and by a method and path of its own', () => {
    expect(new Set(all.map(([, route]) => route.id)).size).toBe(all.length);
    expect(new Set(all.map(([, { method, path }]) => `${method} ${path}`)).size).toBe(all.length);
    for (const [name, route] of all) expect(route.id).toBe(name);
  });

  it.each(all)('%s describes exactly the parameters its path has', (_, { path, params }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(fieldsOf(params).sort()).toEqual(named.sort());
  });

  it.each(all)(
    '%s answers with success, takes a body only where it may have one, and says what it is for',
    (_, route) => {
      const statuses = Object.keys(route.responses).map(Number);
      expect(statuses.length).toBeGreaterThan(0);
      expect(statuses.every((status) => status >= 200 && status < 300)).toBe(true);
      if (route.method === 'get' || route.method === 'delete') expect(fieldsOf(route.body)).toEqual([]);
      expect(route.summary).not.toBe('');
      if (route.example !== undefined) expect(route.body.safeParse(route.example)).toMatchObject({ success: true });
    },
  );

  it('that change something need more than a read key: questions too long for an address change nothing', () => {
    const asking = all.filter(([, { method, scope }]) => method !== 'get' && !['write', 'admin'].includes(scope));
    expect(asking.map(([id]) => id).sort()).toEqual(['dryRun', 'matchSelectors', 'previewContent', 'searchPages']);
  });
});

describe('the OpenAPI document', () => {
  const document = buildOpenApi(
    all.map(([, route]) => route),
    'https://tidemark.example/v1',
  );
  const text = JSON.stringify(document);

  it('is built from every route', () => {
    for (const [, { id }] of all) expect(text).toContain(`"operationId":"${id}"`);
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://tidemark.example/v1' }] });
  });

  it('refers to nothing that it doesn’t hold', () => {
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference = '']) => reference);
    expect(references.length).toBeGreaterThan(0);
    for (const reference of new Set(references)) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce<unknown>((part, key) => Reflect.get(Object(part), key), document);
      expect([reference, typeof found]).toEqual([reference, 'object']);
    }
  });

  it('asks for no key on public routes', () => {
    expect(Reflect.get(Object(document['paths']), '/meta')).toMatchObject({
      get: { security: [], 'x-scope': 'public' },
    });
  });
});
