import { describe, expect, it } from '@jest/globals';
import { CODES } from '@tidemark/errors';
import { EXAMPLE_IDS } from '../example-ids.ts';
import { type AnyRoute, routes } from '../index.ts';
import { acceptsBody } from '../route.ts';
import { TAGS } from '../tags.ts';
import { buildOpenApi } from './build-openapi.ts';
import { asList, asObject, asText, type Json } from './json-schema.ts';
import { errorCauses } from './route-errors.ts';

const all: [string, AnyRoute][] = Object.entries(routes);
const document = buildOpenApi(
  all.map(([, route]) => route),
  '/v1',
);
const components = asObject(document['components']);

const operationOf = ({ path, method }: AnyRoute): Json => asObject(asObject(asObject(document['paths'])[path])[method]);

/** Returns a response with its reference resolved. */
function responseOf(route: AnyRoute, status: string): Json {
  const response = asObject(asObject(operationOf(route)['responses'])[status]);
  const name = asText(response['$ref']).split('/').at(-1) ?? '';
  return name === '' ? response : asObject(asObject(components['responses'])[name]);
}

const contentOf = (part: Json): Json => asObject(asObject(part['content'])['application/json']);
const parametersOf = (route: AnyRoute): Json[] => asList(operationOf(route)['parameters']).map(asObject);
const bodyFields = ({ body }: AnyRoute): string[] => Object.keys(Object(Reflect.get(body, 'shape')));

/** Returns the path and value of every text in a value. */
function textsIn(value: unknown, path: readonly string[] = []): { readonly name: string; readonly text: string }[] {
  if (typeof value === 'string') return [{ name: path.at(-1) ?? '', text: value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) =>
    textsIn(part, [...path, Array.isArray(value) ? (path.at(-1) ?? '') : key]),
  );
}

describe.each(all)('the operation %s', (_, route) => {
  it('has a tag with a description, a summary and a description', () => {
    const { tags, summary, description } = operationOf(route);
    expect(asList(tags).map((tag) => TAGS[String(tag)])).toEqual([expect.stringMatching(/\w{3,}.*\.$/s)]);
    expect(summary).toEqual(expect.stringMatching(/\w{3,}/));
    expect(description).toEqual(expect.stringMatching(/\w{3,}/));
  });

  it('has a valid example of its request, with ids of the right prefix', () => {
    const inputs = parametersOf(route).filter(({ required }) => required === true);
    const values = inputs.map(({ name, example }) => [asText(name), example]);
    expect(values.filter(([, example]) => example === undefined || example === '')).toEqual([]);
    for (const { name, in: where, description, example } of inputs) {
      const prefix = /such as ([a-z]+)_/.exec(asText(description))?.[1];
      const number = /such as (\d+)/.exec(asText(description))?.[1];
      if (where === 'path') expect([name, example]).toEqual([name, number ?? EXAMPLE_IDS[prefix ?? '']]);
    }
    const query = Object.fromEntries(
      inputs.filter((one) => one['in'] === 'query').map(({ name, example }) => [name, example]),
    );
    expect(route.query.safeParse(query)).toMatchObject({ success: true });
    if (!acceptsBody(route)) return;
    const { example } = contentOf(asObject(operationOf(route)['requestBody']));
    expect(route.body.safeParse(example)).toMatchObject({ success: true });
    if (bodyFields(route).length > 0) expect(route.example).toBeDefined();
  });

  it('has a valid example of each response, with ids that are plausible', () => {
    for (const [status, schema] of Object.entries(route.responses)) {
      const media = asObject(responseOf(route, status)['content']);
      if (schema === undefined || route.produces !== undefined) {
        const types = Object.keys(media);
        expect(types.slice(0, 1)).toEqual(route.produces === undefined ? [] : [route.produces]);
        if (types[0] !== undefined && !types[0].startsWith('image/'))
          expect(asObject(media[types[0]])['example']).toEqual(expect.stringMatching(/./));
        continue;
      }
      const { example } = contentOf(responseOf(route, status));
      expect(schema.safeParse(example)).toMatchObject({ success: true });
      const ids = textsIn(example).filter(({ name }) => name === 'id' || /(?:Id|_id)$/.test(name));
      // The ids of providers, plans and packs are names.
      const known = [...Object.values(EXAMPLE_IDS), 'openai', 'starter', 'free', 'credits_10000'];
      expect(ids.filter(({ text }) => !known.includes(text))).toEqual([]);
    }
  });

  it('accepts x-service-tenant and X-Request-Id', () => {
    const references = parametersOf(route).map(({ $ref }) => $ref);
    expect(references).toEqual(
      expect.arrayContaining(['#/components/parameters/x-service-tenant', '#/components/parameters/X-Request-Id']),
    );
  });

  it('lists exactly the errors that follow from its facts, each with its codes and headers', () => {
    const statuses = Object.keys(asObject(operationOf(route)['responses'])).filter((status) => status >= '400');
    const causes = errorCauses(route);
    expect(statuses.map(Number)).toEqual([...causes.keys()]);
    for (const status of statuses) {
      const response = responseOf(route, status);
      const { schema, examples } = contentOf(response);
      const codes = asList(
        asObject(asObject(asObject(asList(asObject(schema)['allOf'])[1])['properties'])['code'])['enum'],
      );
      expect(codes).toEqual([...new Set(causes.get(Number(status))?.map(({ code }) => code))]);
      expect(Object.keys(asObject(examples))).toEqual(codes);
      const headers = Object.keys(asObject(response['headers']));
      expect(headers).toContain('X-Request-Id');
      expect(headers.includes('Retry-After')).toBe(status === '429' || status === '503');
      expect(headers.includes('X-RateLimit-Limit')).toBe(status !== '401' || route.scope === 'public');
      expect(headers.includes('Allow')).toBe(status === '405');
    }
  });
});

describe('a request body', () => {
  it('has its defaults in descriptions, because generators of typed clients make properties with a default required', () => {
    const bodies = all.flatMap(([, route]) => asObject(operationOf(route)['requestBody'])['content'] ?? []);
    const names = new Set<string>();
    const collect = (value: unknown): void => {
      for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
        if (names.has(name)) continue;
        names.add(name);
        collect(asObject(components['schemas'])[name]);
      }
    };
    collect(bodies);
    const schemas = [bodies, ...[...names].map((name) => asObject(components['schemas'])[name])];
    expect(schemas.filter((schema) => /"type":"\w+","default":/.test(JSON.stringify(schema)))).toEqual([]);
    expect(JSON.stringify(schemas)).toContain('Default: ');
  });
});

describe('the operation of a feed', () => {
  it.each([routes.openFeed, routes.changesFeed])('declares 304 with its ETag, and If-None-Match', (route) => {
    const { responses, parameters } = operationOf(route);
    expect(asObject(asObject(responses)['304'])).toMatchObject({ headers: { ETag: expect.anything() } });
    expect(parameters).toContainEqual(expect.objectContaining({ name: 'If-None-Match', in: 'header' }));
  });
});

describe('errorCauses', () => {
  const statusesOf = (route: AnyRoute): number[] => [...errorCauses(route).keys()];

  it('gives a public route without parameters no 401, 403, 404 and 503', () => {
    expect(statusesOf(routes.getMeta)).toEqual([400, 405, 422, 429, 500]);
  });

  it('gives a route that reads no 402, 409 and 413, and 403 for people without a required second factor only', () => {
    expect(statusesOf(routes.getScrape)).toEqual([400, 401, 403, 404, 405, 422, 429, 500, 503]);
  });

  it('gives a route that spends credits and accepts an Idempotency-Key 402 and 409', () => {
    expect(statusesOf(routes.startScrape)).toEqual([400, 401, 402, 403, 404, 405, 409, 413, 422, 429, 500, 503]);
  });

  it('gives a route of the workspace 403 for the scope and for keys that are restricted to projects', () => {
    const forbidden = errorCauses(routes.listKeys).get(403);
    expect(forbidden?.map(({ code }) => code)).toEqual(['scopes', 'forbidden', 'forbidden', 'mfa_required']);
  });
});

describe('buildOpenApi', () => {
  it('describes every tag, and has no tag without routes', () => {
    const used = new Set(all.map(([, { tag }]) => tag));
    expect(Object.keys(TAGS).filter((tag) => !used.has(tag))).toEqual([]);
    expect(asList(document['tags']).map((tag) => asObject(tag)['name'])).toEqual(Object.keys(TAGS));
  });

  it('enumerates every error code in the schema of errors', () => {
    const error = asObject(asObject(components['schemas'])['Error']);
    expect(asObject(asObject(error['properties'])['code'])['enum']).toEqual(Object.keys(CODES));
  });

  it('declares X-Service-Credits exactly for the responses with a job', () => {
    const withCredits = all.filter(([, route]) =>
      Object.keys(route.responses).some(
        (status) => 'X-Service-Credits' in asObject(responseOf(route, status)['headers']),
      ),
    );
    expect(withCredits.map(([id]) => id)).toEqual(
      expect.arrayContaining(['startScrape', 'getScrape', 'startCrawl', 'getCrawl', 'startMap', 'startRun', 'getRun']),
    );
    expect(withCredits.map(([id]) => id)).not.toContain('redeliver');
  });

  it('names the methods of the path in the description of 405', () => {
    expect(responseOf(routes.getScrape, '405')['description']).toContain('Supported: GET, DELETE.');
  });
});
