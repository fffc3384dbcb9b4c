import { ErrorBody, JobEnvelope, type PageRow } from '@tidemark/api';
import { until } from './until.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The parsed body, where it is JSON. */
  readonly body: unknown;
}

export interface Sending {
  /** Sent as JSON, unless it is bytes or text. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A response with a job. */
export interface JobAnswer extends Answer {
  readonly job: JobEnvelope;
}

export interface Capture extends JobAnswer {
  readonly page: PageRow;
}

/** A client of the REST API with one key. */
export interface Api {
  readonly key: string;
  readonly url: string;
  request(method: string, path: string, sending?: Sending): Promise<Answer>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** Starts a scrape. @throws Error where it is not accepted */
  scrape(order: Readonly<Record<string, unknown>>, headers?: Readonly<Record<string, string>>): Promise<JobAnswer>;
  /** Scrapes one page and waits for it. @throws Error where there is no page */
  capture(url: string, order?: Readonly<Record<string, unknown>>): Promise<Capture>;
  /** Reads a job. @throws Error where there is none */
  job(id: string): Promise<JobEnvelope>;
  /** Credits of the workspace at this time: the pages of a job that ended may still be reserved. */
  credits(): Promise<{ remaining: number; reserved: number; usedThisMonth: number }>;
}

/** The session cookie of a client, as a browser keeps it. */
export interface CookieJar {
  /** `name=value`; empty: none. */
  cookie: string;
}

/** Returns a client of the REST API. An empty key is not sent. With a jar the client keeps the session cookie of its responses. */
export function apiOf(url: string, key: string, jar?: CookieJar): Api {
  async function request(method: string, path: string, { body, headers, signal }: Sending = {}): Promise<Answer> {
    const raw = typeof body === 'string' || body instanceof Uint8Array || ArrayBuffer.isView(body);
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: {
        ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
        ...(jar === undefined || jar.cookie === '' ? {} : { cookie: jar.cookie }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: raw ? Buffer.from(body as Uint8Array | string) : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      redirect: 'manual',
    });
    const text = await response.text();
    const [set] = response.headers.getSetCookie();
    if (jar !== undefined && set !== undefined) jar.cookie = set.includes('Max-Age=0') ? '' : (set.split(';')[0] ?? '');
    const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  async function withJob(answer: Promise<Answer>): Promise<JobAnswer> {
    const got = await answer;
    if (got.status !== 200 && got.status !== 202) throw new Error(`expected a job, got ${got.status} ${got.text}`);
    return { ...got, job: JobEnvelope.parse(got.body) };
  }

  const post: Api['post'] = (path, body, headers = {}) => request('POST', path, { body, headers });
  return {
    key,
    url,
    request,
    post,
    get: (path, headers = {}) => request('GET', path, { headers }),
    patch: (path, body) => request('PATCH', path, { body }),
    delete: (path) => request('DELETE', path),
    scrape: (order, headers) => withJob(post('/scrape', order, headers)),
    async capture(page, order = {}) {
      const answer = await withJob(post('/scrape', { url: page, ...order }));
      const [row] = answer.job.data;
      if (answer.status !== 200 || row === undefined) throw new Error(`no page came back: ${answer.text}`);
      return { ...answer, page: row };
    },
    job: async (id) => (await withJob(request('GET', `/scrape/${id}`))).job,
    async credits() {
      const { status, text, body } = await request('GET', '/me');
      if (status !== 200) throw new Error(`GET /me answered ${status} ${text}`);
      return (body as { credits: { remaining: number; reserved: number; usedThisMonth: number } }).credits;
    },
  };
}

/** Returns the credits once every charge is booked: a job is done before its charge is booked. Only where no job of the workspace runs. */
export const settledCredits = (api: Api): ReturnType<Api['credits']> =>
  until('every charge to be booked', async () => {
    const credits = await api.credits();
    return credits.reserved === 0 && credits;
  });

/** Returns the error envelope of a response. @throws Error where it has none */
export const errorOf = (
  answer: Answer,
): { status: number; error: string; code: string; request_id: string; fields: string[] } => {
  const parsed = ErrorBody.safeParse(answer.body);
  if (!parsed.success) throw new Error(`expected an error body, got ${answer.status} ${answer.text}`);
  const { error, code, request_id, detail = [] } = parsed.data;
  return { status: answer.status, error, code, request_id, fields: detail.map(({ loc }) => loc.slice(1).join('.')) };
};
