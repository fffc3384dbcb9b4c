import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiResponse } from '../../harness/api.ts';
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

/** Seconds beyond the wait that a request states. */
export const BEYOND_WAIT_SECONDS = 2;
/** How often a request is sent that is answered late. */
const TIMES = 3;
const GIVE_UP_SECONDS = 30;
/** A line of a stack trace (`at call (file:///app/x.ts:1:2)`), and names of parts. */
const INTERNALS =
  /\bat (?:[^"\s]{1,100} )?\(?(?:file:|node:|\/)[^"\s]{0,200}:\d+:\d+|node_modules|prisma|ECONN\w+|\bzod\b/i;
const SHOWN = 2_000;

/** Returns a response checker, such as that of the OpenAPI document. */
type Checker = (operationId: string, response: ApiResponse) => string[];

/** Sends attempts and states what is wrong with the responses. */
export interface Sender {
  readonly url: string;
  readonly key: () => string;
  readonly check: Checker;
}

export interface Outcome {
  readonly response: ApiResponse | undefined;
  readonly seconds: number;
  /** Empty if the response is as it should be. */
  readonly problems: readonly string[];
}

function waitSecondsOf({ target, body }: Attempt): number {
  if (target.waitSeconds === 0 || typeof body !== 'string') return target.waitSeconds;
  const stated = /"timeout"\s*:\s*(\d+(?:\.\d+)?)/.exec(body)?.[1];
  return stated === undefined ? target.waitSeconds : Math.min(120, Number(stated));
}

async function request({ url, key }: Sender, attempt: Attempt): Promise<ApiResponse> {
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
  const isJson = /^application\/json\b/.test(response.headers.get('content-type') ?? '');
  return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
}

/** Whether a bound on work was met: the caller is to come back. */
const isBusy = ({ status, headers }: ApiResponse): boolean => status === 503 && Number(headers.get('retry-after')) > 0;

function problemsOf(attempt: Attempt, response: ApiResponse, check: Checker): string[] {
  const { status, body, text, headers } = response;
  const { id, method } = attempt.target;
  const isPlain = method !== 'HEAD' && method !== 'OPTIONS';
  return [
    ...(status >= 500 && !isBusy(response) ? [`status ${status}: ${text.slice(0, 300)}`] : []),
    ...(status >= 400 && INTERNALS.test(text) ? [`internal details in the response: ${text.slice(0, 300)}`] : []),
    ...(headers.get('x-request-id') === null ? ['no X-Request-Id'] : []),
    ...(isPlain && body !== undefined ? check(id, response).map((wrong) => `unlike the document: ${wrong}`) : []),
  ];
}

/** Sends one attempt once. */
async function sendOnce(sender: Sender, attempt: Attempt): Promise<Outcome> {
  const startedAt = performance.now();
  const seconds = () => (performance.now() - startedAt) / 1_000;
  try {
    const response = await request(sender, attempt);
    return { response, seconds: seconds(), problems: problemsOf(attempt, response, sender.check) };
  } catch (error) {
    const cause = error instanceof Error ? `${error.message} ${String(error.cause ?? '')}` : String(error);
    return { response: undefined, seconds: seconds(), problems: [`no response: ${cause}`] };
  }
}

/**
 * Sends one attempt, and again where the response is late or the fleet is busy: a problem is only what is so each time, as the machine may
 * have other work.
 */
export async function send(sender: Sender, attempt: Attempt): Promise<Outcome> {
  const limit = waitSecondsOf(attempt) + BEYOND_WAIT_SECONDS;
  let outcome: Outcome = { response: undefined, seconds: 0, problems: [] };
  for (let time = 0; time < TIMES; time += 1) {
    outcome = await sendOnce(sender, attempt);
    const { response, seconds, problems } = outcome;
    if (problems.length > 0) return outcome;
    if (response !== undefined && isBusy(response))
      await sleep(Math.min(5, Number(response.headers.get('retry-after'))) * 1_000);
    else if (attempt.target.streams || seconds <= limit) return outcome;
  }
  const { response, seconds } = outcome;
  const late = `answered after ${seconds.toFixed(1)} s, expected at most ${limit} s`;
  return { ...outcome, problems: [response !== undefined && isBusy(response) ? 'busy each time' : late] };
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
  const shown = Object.entries(all).map(([name, value]) => ` -H ${quoted(`${name}: ${value.slice(0, SHOWN / 10)}`)}`);
  return `curl -sS -X ${target.method} -H "authorization: Bearer $KEY"${shown.join('')}${curlBody(body)} ${quoted(`${url}/v1${path}`)}`;
}

/** Returns the report of a failed attempt. */
export const reportOf = (sender: Sender, attempt: Attempt, { problems }: Outcome): string =>
  [
    `${attempt.target.method} ${attempt.target.path} (${attempt.target.id}): ${attempt.note}`,
    ...problems.map((problem) => `  ${problem}`),
    `  ${curlOf(sender, attempt)}`,
  ].join('\n');
