import { ErrorBody, JobEnvelope, type PageRow } from '@tidemark/api';
import { until } from './until.ts';

export interface ApiResponse {
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
export interface JobResponse extends ApiResponse {
  readonly job: JobEnvelope;
}

export interface Capture extends JobResponse {
  readonly page: PageRow;
}

/** A client of the REST API with one key. */
export interface Api {
  readonly key: string;
  readonly url: string;
  request(method: string, path: string, sending?: Sending): Promise<ApiResponse>;
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<ApiResponse>;
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<ApiResponse>;
  patch(path: string, body: unknown): Promise<ApiResponse>;
  delete(path: string): Promise<ApiResponse>;
  /** Starts a scrape. @throws Error where it is not accepted */
  scrape(order: Readonly<Record<string, unknown>>, headers?: Readonly<Record<string, string>>): Promise<JobResponse>;
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

/** Returns a body as it is sent: bytes and text as they are, other values as JSON. */
function bytesOf(body: unknown): Buffer<ArrayBuffer> | string {
  const isRaw = typeof body === 'string' || body instanceof Uint8Array || ArrayBuffer.isView(body);
  return isRaw ? Buffer.from(body as Uint8Array | string) : JSON.stringify(body);
}

/** Returns the headers with the key and the session of a client. */
const credentialsOf = (key: string, jar: CookieJar | undefined): Record<string, string> => ({
  ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
  ...(jar === undefined || jar.cookie === '' ? {} : { cookie: jar.cookie }),
});

/** Keeps the session cookie that a response sets, or removes it. */
function keepCookie(jar: CookieJar, { headers }: Response): void {
  const [set] = headers.getSetCookie();
  if (set !== undefined) jar.cookie = set.includes('Max-Age=0') ? '' : (set.split(';')[0] ?? '');
}

/** Returns a client of the REST API. An empty key is not sent. With a jar the client keeps the session cookie of its responses. */
export function apiOf(url: string, key: string, jar?: CookieJar): Api {
  async function request(method: string, path: string, { body, headers, signal }: Sending = {}): Promise<ApiResponse> {
    const response = await fetch(`${url}/v1${path}`, {
      method,
      headers: {
        ...credentialsOf(key, jar),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: bytesOf(body) }),
      ...(signal === undefined ? {} : { signal }),
      redirect: 'manual',
    });
    const text = await response.text();
    if (jar !== undefined) keepCookie(jar, response);
    const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }

  async function withJob(response: Promise<ApiResponse>): Promise<JobResponse> {
    const got = await response;
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
      const response = await withJob(post('/scrape', { url: page, ...order }));
      const [row] = response.job.data;
      if (response.status !== 200 || row === undefined) throw new Error(`no page came back: ${response.text}`);
      return { ...response, page: row };
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
  response: ApiResponse,
): { status: number; error: string; code: string; request_id: string; fields: string[] } => {
  const parsed = ErrorBody.safeParse(response.body);
  if (!parsed.success) throw new Error(`expected an error body, got ${response.status} ${response.text}`);
  const { error, code, request_id, detail = [] } = parsed.data;
  return { status: response.status, error, code, request_id, fields: detail.map(({ loc }) => loc.slice(1).join('.')) };
};
