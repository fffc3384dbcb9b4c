import { createServer } from 'node:http';

/** A request as it arrived. */
export interface SeenRequest {
  readonly route: string;
  readonly body: unknown;
  readonly key: string;
  readonly forwardedFor: string;
}

export interface FakeApi {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Keys that are no longer valid. */
  readonly revoked: Set<string>;
  /** Responses by method and path; others are 404. */
  readonly responses: Map<string, unknown>;
  close(): Promise<void>;
}

const refused = (code: string) => ({ error: `refused: ${code}`, code, request_id: 'req_1' });

/** Starts a REST interface whose responses a test writes. `Bearer read` has the scope read, `Bearer write` read and write. */
export async function startFakeApi(): Promise<FakeApi> {
  const seen: SeenRequest[] = [];
  const revoked = new Set<string>();
  const responses = new Map<string, unknown>();
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    const text = Buffer.concat(pieces).toString('utf8');
    const route = `${request.method} ${request.url?.split('?')[0]?.replace(/^\/v1/, '')}`;
    const key = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const forwardedFor = String(request.headers['x-forwarded-for'] ?? '');
    seen.push({ route, body: text === '' ? undefined : JSON.parse(text), key, forwardedFor });
    const [status, body] = respond(route, key);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  function respond(route: string, key: string): [status: number, body: unknown] {
    if ((key !== 'read' && key !== 'write') || revoked.has(key)) return [401, refused('unauthorized')];
    if (route === 'GET /me') return [200, { key: { can: key === 'write' ? ['read', 'write'] : ['read'] } }];
    const body = responses.get(route);
    return body === undefined ? [404, refused('not_found')] : [200, body];
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  return {
    url: `http://127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}/v1`,
    seen,
    revoked,
    responses,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A page row. */
export const row = (given: Readonly<Record<string, unknown>> = {}) => ({
  id: 'cap_1',
  url: 'https://a.example/',
  askedUrl: 'https://a.example/',
  title: 'Page',
  verdict: 'ok',

  errorCode: 'OK',
  reason: '',
  httpStatus: 200,
  words: 2,
  credits: 1,
  language: 'en',
  warnings: [],

  crawledAt: '2026-01-01T00:00:00.000Z',
  fields: null,
  head: null,
  markdown: 'Some words',
  links: [{ url: 'https://a.example/b', text: 'b', kind: 'internal' }],
  product: null,
  ...given,
});

/** A job that has ended. */
export const job = (given: Readonly<Record<string, unknown>> = {}) => ({
  id: 'run_1',
  kind: 'crawl',
  status: 'done',
  progress: { done: 1, total: 1, queued: 0 },
  creditsUsed: 1,

  counts: {},
  stop: null,
  error: null,
  data: [],
  next: null,
  cursor: null,
  request_id: 'req_1',
  ...given,
});

const PROJECT = { id: 'prj_1', seed: 'https://a.example/', name: 'A', config: { max_pages: 5 }, request_id: 'req_1' };
const CHANGE = {
  url: 'https://a.example/',
  kind: 'modified',
  reason: null,
  title: 'Prices',
  section: 'Prices',
  volatile: false,

  wordsAdded: 1,
  wordsRemoved: 1,
  movedFrom: null,
  reviewed: false,
  truncated: false,
  fields: [{ name: 'title', from: 'Old', to: 'New' }],
  blocks: [{ op: 'edited', section: 'Prices', before: '1 crown', after: '2 crowns' }],
};
const LIST = { next: null, cursor: null, creditsUsed: 0, request_id: 'req_1' };

/** Fills in a response for every route that the tools use. */
export function fillIn(responses: Map<string, unknown>): void {
  const map = {
    data: [{ url: 'https://a.example/', lastmod: null, section: '/' }],
    totals: { urls: 1 },
    method: 'sitemap',
  };
  const entries: Record<string, unknown> = {
    'POST /scrape': job({ id: 'job_1', data: [row()] }),
    'GET /scrape/job_1': job({ id: 'job_1', data: [row()] }),
    'POST /map': job({ id: 'map_1', robots: null, ...map }),
    'GET /map/map_1': job({ id: 'map_1', robots: null, ...map }),
    'POST /crawl': job({ status: 'queued' }),
    'GET /crawl/run_1': job({ data: [row()] }),
    'GET /crawl/run_1/page': row(),
    'POST /crawl/run_1/keep': PROJECT,
    'GET /meta': { config: { max_pages: { group: 'scope', default: 100, schema: {} } }, formats: [], verdicts: {} },
    'GET /projects': { ...LIST, data: [{ ...PROJECT, lastRun: null }] },
    'POST /projects': PROJECT,
    'GET /projects/prj_1': PROJECT,
    'PATCH /projects/prj_1': PROJECT,
    'POST /projects/prj_1/runs': job(),
    'GET /projects/prj_1/pages': { ...LIST, data: [], runId: 'run_1' },
    'GET /projects/prj_1/pages/content': { ...row(), runId: 'run_1', versions: [] },
    'GET /projects/prj_1/runs': { ...LIST, data: [{ id: 'run_1', trigger: 'api' }] },
    'GET /projects/prj_1/changes': { ...LIST, runId: 'run_1', entries: [CHANGE] },
    'POST /projects/prj_1/pages/search': {
      ...LIST,
      data: [{ ...row(), matches: 1, excerpts: [{ text: 'words', marks: [] }] }],
    },
    'POST /projects/prj_1/pages/recrawl': job({ status: 'queued' }),
  };
  for (const [route, body] of Object.entries(entries)) responses.set(route, body);
}
