import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AnyRoute, routes } from '@tidemark/api';
import { z } from 'zod';
import { NO_CONNECTION, NO_LOGIN, queries } from '../contract/unused-ids.ts';
import { type ApiResponse, errorOf } from '../harness/api.ts';
import { sharedFleet } from '../harness/fleet.ts';
import { NO_DESTINATION, NO_KEY, NO_PROJECT, NO_RUN, pathOf } from '../harness/paths.ts';
import { makeProject, runToEnd, startRun } from '../harness/projects.ts';
import type { Workspace } from '../harness/workspaces.ts';
import { startWeb } from '../web/server.ts';

const fleet = sharedFleet();
const web = await startWeb();

const NO_SNAPSHOT = 'job_01j5xq2w8se6fa7t0a6q1n3k2m';
const NO_PAGE = 'cap_01j5xq2w8se6fa7t0a6q1n3k2m';
const MODEL = {
  config: { model: 'tide-1', base_url: 'https://models.example.com/v1' },
  secrets: { api_key: 'sk-isolation-secret' },
};
const DATABASE = {
  provider: 'postgresql',
  name: 'Ours',
  secrets: { password: 'isolation-secret' },
  config: { host: 'db.example.com', database: 'site', user: 'tidemark' },
};

/** Ids of a workspace, by kind. */
type Ids = Readonly<Record<Kind, string>>;
type Kind = 'project' | 'run' | 'connection' | 'model' | 'login' | 'destination' | 'snapshot' | 'page' | 'key';

const UNKNOWN: Ids = {
  project: NO_PROJECT,
  run: NO_RUN,
  connection: NO_CONNECTION,
  model: NO_CONNECTION,
  login: NO_LOGIN,
  destination: NO_DESTINATION,
  snapshot: NO_SNAPSHOT,
  page: NO_PAGE,
  key: NO_KEY,
};

/**
 * What a field with an id does. `selects`: what the request reads, uses or acts on; 404. `stores`: an entry of a list or of a configuration; 422 with
 * the field. `filters`: it matches nothing.
 */
type Effect = 'selects' | 'stores' | 'filters';

const FIELDS: Readonly<Record<string, { readonly kind: Kind; readonly effect: Effect }>> = {
  'query run_id': { kind: 'run', effect: 'selects' },
  'query snapshot_id': { kind: 'snapshot', effect: 'selects' },
  'query page': { kind: 'page', effect: 'selects' },
  'query runId': { kind: 'run', effect: 'filters' },
  'query projectId': { kind: 'project', effect: 'filters' },
  'query actor': { kind: 'key', effect: 'filters' },
  'query key': { kind: 'key', effect: 'filters' },
  'body run_id': { kind: 'run', effect: 'selects' },
  'body project_id': { kind: 'project', effect: 'selects' },
  'body template_project_id': { kind: 'project', effect: 'selects' },
  'body destination': { kind: 'destination', effect: 'selects' },
  'body config.login_id': { kind: 'login', effect: 'selects' },
  'body connection_id': { kind: 'connection', effect: 'selects' },
  'body config.extract.connection_id': { kind: 'model', effect: 'stores' },
  'body config.change_digest.connection_id': { kind: 'model', effect: 'stores' },
  'body projects': { kind: 'project', effect: 'stores' },
};

/** Fields whose names end as those of ids do, with the reason why no id of a resource is in them. */
const NO_IDS: Readonly<Record<string, string>> = {
  'query request_id': 'an id that the caller chose',
  'body project_ids': 'the result lists each project with its own code: test/e2e/runs.test.ts',
  'body change_ids': 'the result lists the entries that are not there: test/e2e/changes.test.ts',
  'body page': 'a URL',
  'body key': 'a key of a keyboard',
  'body seeds[].idempotency_key': 'a key that the caller chose',
  'body config.actions[].key': 'a key of a keyboard',
  'body config.alerts[].id': 'an id that the caller chose',
  'body scrapeOptions.actions[].key': 'a key of a keyboard',
  'body billing_details.tax_id': 'a number of an office',
};

interface Field {
  readonly route: AnyRoute;
  readonly part: 'query' | 'body';
  readonly name: string;
}

const IS_ID = /(?:_id|_ids|Id|Ids|\.id|projects|destination)$|^(?:id|page|actor|key)$/;

/** Returns the names of the fields of a schema, nested ones with dots and `[]`. */
function namesOf(schema: z.ZodType): string[] {
  const document = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json;
  const definitions = (document['$defs'] ?? {}) as Record<string, Json>;
  const names = new Set<string>();
  const visited = new Set<string>();
  const visitReference = (reference: string, at: string): void => {
    const name = reference.split('/').at(-1) ?? '';
    if (visited.has(`${at} ${name}`)) return;
    visited.add(`${at} ${name}`);
    visit(definitions[name] ?? {}, at);
  };
  const visit = (part: Json, at: string): void => {
    if (typeof part['$ref'] === 'string') visitReference(part['$ref'], at);
    for (const [name, value] of Object.entries((part['properties'] ?? {}) as Record<string, Json>)) {
      const path = at === '' ? name : `${at}.${name}`;
      names.add(path);
      visit(value, path);
    }
    if (part['items'] !== undefined) visit(part['items'] as Json, `${at}[]`);
    const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((branch) => (part[branch] ?? []) as Json[]);
    for (const value of branches) visit(value, at);
  };
  visit(document, '');
  return [...names];
}
type Json = Record<string, unknown>;

/** Fields with ids of every route that a key may call. */
const fields: Field[] = Object.values(routes)
  .filter(
    (route: AnyRoute) =>
      route.session?.only !== true &&
      route.scope !== 'public' &&
      route.tag !== 'Billing' &&
      !route.path.includes('{child_id}'),
  )
  .flatMap((route: AnyRoute) =>
    (['query', 'body'] as const).flatMap((part) =>
      namesOf(route[part])
        .filter((name) => IS_ID.test(name) && !(`${part} ${name}` in NO_IDS))
        .map((name) => ({ route, part, name })),
    ),
  );

let mine: Workspace;
let own: Ids;
let foreign: Ids;

beforeAll(async () => {
  const [owner, other] = await Promise.all([fleet.workspaces.make(), fleet.workspaces.make()]);
  mine = owner;
  [own, foreign] = await Promise.all([idsOf(owner, true), idsOf(other, false)]);
}, 120_000);
afterAll(async () => {
  web.open('foreign-ids');
  await web.close();
  await fleet.close();
});

const idIn = ({ body, status, text }: ApiResponse): string => {
  if (status >= 300) throw new Error(`${status} ${text}`);
  return (body as { id: string }).id;
};

/** Makes a resource of each kind. */
async function idsOf({ id, admin, writer }: Workspace, ends: boolean): Promise<Ids> {
  const seed = ends ? web.url('/tiny') : web.url('/gate/foreign-ids');
  const { id: project } = await makeProject(writer, { seed, config: { max_pages: 1, use_sitemap: false } });
  const run = ends ? (await runToEnd(writer, project)).id : (await startRun(writer, project)).id;
  const session = { site: web.url('/'), cookies: [{ name: 'sid', value: 'x' }], terms_accepted: true };
  const connection = idIn(await admin.post('/connections', DATABASE));
  const model = idIn(await admin.post('/connections', { provider: 'openai', name: 'Model', ...MODEL }));
  const destination = idIn(await admin.post('/destinations', { name: 'Ours', connection_id: connection }));
  return {
    project,
    run,
    connection,
    model,
    destination,
    login: idIn(await writer.post('/logins', session)),
    snapshot: UNKNOWN.snapshot,
    page: UNKNOWN.page,
    key: (await fleet.workspaces.key(id, { scopes: ['read'] })).keyId,
  };
}

/** A valid body of a route, without the field. */
function bodyOf({ id, example }: AnyRoute): Json {
  switch (id) {
    case 'startScrape':
    case 'startPlayground':
    case 'startCrawl':
      return { url: web.url('/tiny') };
    case 'createProject':
      return { seed: web.url('/tiny') };
    case 'createProjects':
      return { seeds: [web.url('/tiny')] };
    case 'createDestination':
    case 'createProjectDestination':
      return { name: 'Another', connection_id: own.connection };
    case 'previewShape':
      return { project_id: own.project };
    case 'startSync':
      return { project_id: own.project };
    case 'searchPages':
      return { q: 'tide' };
    case 'verifyCite':
      return { quote: 'the tide' };
    case 'reviewChanges':
      return { reviewed: true };
    case 'exportPages':
      return { dataset: 'pages', urls: ['https://example.com/'] };
    case 'createKey':
    case 'createChildKey':
      return { name: 'Another', scopes: ['read'] };
    default:
      return example === undefined || id.startsWith('patch') ? {} : { ...(example as Json) };
  }
}

/** Further fields of the same object that the schema requires. */
const REQUIRED: Readonly<Record<string, Json>> = {
  'config.extract.connection_id': { schema: { type: 'object', properties: { a: { type: 'string' } } } },
};

/** Returns the body with an id at the field. */
function withId(body: Json, name: string, id: string): Json {
  const [head = '', ...rest] = name.split('.');
  if (rest.length > 0) {
    if (head.endsWith('[]')) return { ...body, [head.slice(0, -2)]: [{ [rest.join('.')]: id, credits: 1 }] };
    const inner = (body[head] ?? {}) as Json;
    return { ...body, [head]: { ...withId(inner, rest.join('.'), id) } };
  }
  return { ...body, [head]: head === 'projects' ? [id] : id };
}

const destinationOf = (path: string): string => (path.startsWith('/projects') ? NO_DESTINATION : own.destination);

function send({ route, part, name }: Field, id: string): Promise<ApiResponse> {
  const at = route.path.startsWith('/destinations/{id}') ? destinationOf(route.path) : own.project;
  const path = pathOf(route, route.path.startsWith('/crawl') ? own.run : at, own.run);
  const method = route.method.toUpperCase();
  if (part === 'query') {
    const query = new URLSearchParams(queries[route.path] ?? '');
    query.set(name, id);
    return mine.admin.request(method, `${path}?${query}`);
  }
  const base = bodyOf(route);
  const required = REQUIRED[name];
  const body = withId(base, name, id);
  if (required !== undefined)
    body['config'] = { extract: { ...required, ...((body['config'] as Json)['extract'] as Json) } };
  return mine.admin.request(method, path, { body });
}

/** Routes whose previews evaluate the settings of scope and content, and use no id of a configuration. */
const PREVIEWS: readonly string[] = ['dryRun', 'previewSources', 'previewContent'];

describe('an id of another workspace', () => {
  test('is in a field whose effect this suite states', () => {
    const named = new Set(fields.map(({ part, name }) => `${part} ${name}`));
    expect([...named].filter((name) => !(name in FIELDS))).toEqual([]);
    expect(Object.keys(FIELDS).filter((name) => !named.has(name))).toEqual([]);
  });

  const cases = fields
    .filter(({ route }) => !PREVIEWS.includes(route.id))
    .map((field) => ({ id: field.route.id, at: `${field.part} ${field.name}`, field }));

  test.each(cases)(
    'in $id, $at, is answered as an id that does not exist, by the rule of its effect',
    async ({ at, field }) => {
      const { kind, effect } = FIELDS[at] ?? { kind: 'project', effect: 'selects' };
      const other = await send(field, foreign[kind]);
      const unknown = await send(field, UNKNOWN[kind]);
      const shown = ({ status, text }: ApiResponse, id: string) => ({
        status,
        text: text
          .replaceAll(id, '')
          .replace(/"request_id":"[^"]*"/, '')
          .slice(0, 200),
      });
      expect(shown(other, foreign[kind])).toEqual(shown(unknown, UNKNOWN[kind]));
      if (effect === 'filters') expect([other.status, /^$|"data":\[\]/.test(other.text)]).toEqual([200, true]);
      else if (effect === 'selects') expect(errorOf(other)).toMatchObject({ status: 404, code: 'not_found' });
      else expect(errorOf(other)).toMatchObject({ status: 422, code: 'validation' });
    },
  );
});
