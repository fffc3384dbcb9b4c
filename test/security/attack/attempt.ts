import type { Answer } from '../../harness/api.ts';
import type { Target } from './targets.ts';

/** One request of the suite, whole: enough to send it again. */
export interface Attempt {
  readonly target: Target;
  /** With the query. */
  readonly path: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** What is wrong with it, for the report. */
  readonly note: string;
}

/** Seconds beyond the wait that a request asked for. */
export const BEYOND_WAIT_SECONDS = 2;
/** A slow answer counts if the same request is slow this many times in a row: one slow answer may be the machine's. */
const SLOW_TIMES = 3;
const GIVE_UP_SECONDS = 30;
const STACK = /\bat [^"]{0,200}:\d+:\d+|node_modules|\/work\/|prisma|ECONN\w+|\bzod\b/i;
const SHOWN = 2_000;

/** Returns a response checker, such as that of the OpenAPI document. */
type Checker = (operationId: string, status: number, body: unknown) => string[];

/** Sends attempts and states what is wrong with the answers. */
export interface Sender {
  readonly url: string;
  readonly key: () => string;
  readonly check: Checker;
}

export interface Outcome {
  readonly answer: Answer | undefined;
  readonly seconds: number;
  /** Empty if the answer is as it should be. */
  readonly problems: readonly string[];
}

function waitSecondsOf({ target, body }: Attempt): number {
  if (target.waitSeconds === 0 || typeof body !== 'string') return target.waitSeconds;
  const stated = /"timeout"\s*:\s*(\d+(?:\.\d+)?)/.exec(body)?.[1];
  return stated === undefined ? target.waitSeconds : Math.min(120, Number(stated));
}

async function request({ url, key }: Sender, attempt: Attempt): Promise<Answer> {
  const { target, path, body, headers } = attempt;
  const response = await fetch(`${url}/v1${path}`, {
    method: target.method,
    headers: {
      ...(key() === '' ? {} : { authorization: `Bearer ${key()}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : Buffer.from(body) }),
    signal: AbortSignal.timeout((waitSecondsOf(attempt) + GIVE_UP_SECONDS) * 1_000),
    redirect: 'manual',
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

function problemsOf(attempt: Attempt, { status, body, text, headers }: Answer, check: Checker): string[] {
  const { id, method } = attempt.target;
  const isPlain = method !== 'HEAD' && method !== 'OPTIONS';
  return [
    ...(status >= 500 ? [`status ${status}: ${text.slice(0, 300)}`] : []),
    ...(status >= 400 && STACK.test(text) ? [`internal details in the answer: ${text.slice(0, 300)}`] : []),
    ...(headers.get('x-request-id') === null ? ['no X-Request-Id'] : []),
    ...(isPlain && body !== undefined ? check(id, status, body).map((wrong) => `unlike the document: ${wrong}`) : []),
  ];
}

/** Sends one attempt. An answer that is late is only a problem if the same request is late each time. */
export async function send(sender: Sender, attempt: Attempt): Promise<Outcome> {
  const limit = waitSecondsOf(attempt) + BEYOND_WAIT_SECONDS;
  let seconds = 0;
  let problems: string[] = [];
  let answer: Answer | undefined;
  for (let time = 0; time < SLOW_TIMES; time += 1) {
    const startedAt = performance.now();
    try {
      answer = await request(sender, attempt);
      problems = problemsOf(attempt, answer, sender.check);
    } catch (error) {
      problems = [`no answer: ${error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : error}`];
    }
    seconds = (performance.now() - startedAt) / 1_000;
    if (problems.length > 0 || attempt.target.streams || seconds <= limit) return { answer, seconds, problems };
  }
  return { answer, seconds, problems: [`answered after ${seconds.toFixed(1)} s, expected at most ${limit} s`] };
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns the body as a shell can send it. */
function curlBody(body: string | Uint8Array | undefined): string {
  if (body === undefined) return '';
  const bytes = Buffer.from(body);
  const text = bytes.toString('utf8');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these need an escape in a shell.
  const isPlain = !/[\u0000-\u0008\u000b-\u001f\u007f\ufffd]/.test(text);
  if (isPlain && text.length <= SHOWN) return ` --data-binary ${quoted(text)}`;
  const whole = bytes.toString('base64');
  const shown = whole.length <= 4 * SHOWN ? whole : `${whole.slice(0, 200)}… (${bytes.length} bytes)`;
  return ` --data-binary @<(echo ${shown} | base64 -d)`;
}

/** Returns the command that sends an attempt again. */
export function curlOf({ url }: Sender, { target, path, body, headers }: Attempt): string {
  const all = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers };
  const shown = Object.entries(all).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`);
  return `curl -sS -X ${target.method} -H "authorization: Bearer $KEY"${shown.join('')}${curlBody(body)} ${quoted(`${url}/v1${path}`)}`;
}

/** Returns the report of a failed attempt. */
export const reportOf = (sender: Sender, attempt: Attempt, { problems }: Outcome): string =>
  [
    `${attempt.target.method} ${attempt.target.path} (${attempt.target.id}): ${attempt.note}`,
    ...problems.map((problem) => `  ${problem}`),
    `  ${curlOf(sender, attempt)}`,
  ].join('\n');
