import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { type AnyRoute, buildOpenApi, routes } from './index.ts';

const all: [string, AnyRoute][] = Object.entries(routes);
const fieldsOf = (schema: z.ZodType): string[] => {
  const shape: unknown = Reflect.get(schema, 'shape');
  return typeof shape === 'object' && shape !== null ? Object.keys(shape) : [];
};

describe('routes', () => {
  it('have unique ids and unique pairs of method and path', () => {
    expect(new Set(all.map(([, route]) => route.id)).size).toBe(all.length);
    expect(new Set(all.map(([, { method, path }]) => `${method} ${path}`)).size).toBe(all.length);
    for (const [name, route] of all) expect(route.id).toBe(name);
  });

  it.each(all)('%s declares exactly the parameters of its path', (_, { path, params }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(fieldsOf(params).sort()).toEqual(named.sort());
  });

  it.each(all)(
    '%s declares only 2xx responses, has a body only where the method permits one, and has a summary',
    (_, route) => {
      const statuses = Object.keys(route.responses).map(Number);
      expect(statuses.length).toBeGreaterThan(0);
      expect(statuses.every((status) => status >= 200 && status < 300)).toBe(true);
      if (route.method === 'get' || route.method === 'delete') expect(fieldsOf(route.body)).toEqual([]);
      expect(route.summary).not.toBe('');
      if (route.example !== undefined) expect(route.body.safeParse(route.example)).toMatchObject({ success: true });
    },
  );

  it('require more than the read scope if they change something; queries with a body are the exceptions', () => {
    const weak = all.filter(([, { method, scope }]) => method !== 'get' && !['write', 'admin'].includes(scope));
    // Every person changes their own account, dismisses their notifications and leaves a workspace; sign-in and links have no session yet.
    const queries = weak.filter(([, { path }]) => !path.startsWith('/auth/'));
    expect(queries.map(([id]) => id).sort()).toEqual([
      'dismissNotice',
      'dryRun',
      'exportPages',
      'matchSelectors',
      'previewAlert',
      'previewContent',
      'previewShape',
      'searchPages',
      'verifyCite',
    ]);
  });
});

describe('lists', () => {
  it('have the fields next and cursor, also those that are returned whole', () => {
    const whole = all.filter(([, { method, responses }]) => {
      const fields = method === 'get' && responses[200] !== undefined ? fieldsOf(responses[200]) : [];
      return fields.includes('data') && !(fields.includes('next') && fields.includes('cursor'));
    });
    expect(whole.map(([id]) => id)).toEqual([]);
  });

  /** Lists with a smaller limit: runs and deliveries by the specification, feeds for the readers that fetch them whole. */
  const SMALLER: Readonly<Record<string, number>> = {
    listRuns: 100,
    listPageVersions: 100,
    listCrawls: 100,
    listDeliveries: 200,
    changesFeed: 200,
    openFeed: 200,
  };
  const limited = all.filter(([, { method, query }]) => method === 'get' && fieldsOf(query).includes('limit'));

  it.each(limited)('%s takes a limit up to 1,000 and refuses a larger one', (id, { query }) => {
    const max = SMALLER[id] ?? 1_000;
    const isTaken = (limit: number) =>
      query.safeParse({ limit }).error?.issues.every(({ path }) => path[0] !== 'limit') ?? true;
    expect([isTaken(max), isTaken(max + 1)]).toEqual([true, false]);
  });
});

describe('buildOpenApi', () => {
  const document = buildOpenApi(
    all.map(([, route]) => route),
    'https://tidemark.example/v1',
  );
  const text = JSON.stringify(document);

  it('includes every route', () => {
    for (const [, { id }] of all) expect(text).toContain(`"operationId":"${id}"`);
    expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://tidemark.example/v1' }] });
  });

  it('has no dangling reference', () => {
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

  it('requires no key on public routes', () => {
    expect(Reflect.get(Object(document['paths']), '/meta')).toMatchObject({
      get: { security: [], 'x-scope': 'public' },
    });
  });
});

describe('a URL without a scheme', () => {
  it('is read as https in the URLs of an export and in the page of a selector match', () => {
    const pages = { dataset: 'markdown', urls: ['example.com/a', 'http://example.com/b'] };
    expect(routes.exportPages.body.parse(pages)).toMatchObject({
      urls: ['https://example.com/a', 'http://example.com/b'],
    });
    const match = { selectors: ['h1'], page: 'example.com/a' };
    expect(routes.matchSelectors.body.parse(match)).toMatchObject({ page: 'https://example.com/a' });
  });
});
