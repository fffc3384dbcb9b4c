import { createHash } from 'node:crypto';
import { FetchFailed, type HttpClient, type HttpResponse } from '@tidemark/egress';
import type { Exit } from './exit-list.ts';
import type { ParityResult, ProbeResult } from './exits.ts';

const CHECK_TIMEOUT_MS = 15_000;
const MAX_PARITY_BYTES = 256 * 1024;

/** Fetches the page through the exit. A failure that is not the exit's own proves nothing. */
export async function probe(client: HttpClient, url: string | undefined, exit: Exit): Promise<ProbeResult> {
  if (url === undefined) return { outcome: 'unknown', bytes: 0 };
  const answer = await fetchSmall(client, url, exit.url);
  if (!(answer instanceof Error)) return { outcome: 'ok', bytes: answer.exitBytes };
  return { outcome: isExitFailure(answer) ? 'failed' : 'unknown', bytes: 0 };
}

/** Compares the page fetched through the exit with the page fetched directly, before and after: one that changes by itself proves nothing. */
export async function checkParity(client: HttpClient, url: string, exit: Exit): Promise<ParityResult> {
  const before = await fetchSmall(client, url, undefined);
  if (before instanceof Error) return { parity: 'unknown', bytes: 0, exitFailed: false };
  const through = await fetchSmall(client, url, exit.url);
  if (through instanceof Error) return { parity: 'unknown', bytes: 0, exitFailed: isExitFailure(through) };
  const bytes = through.exitBytes;
  const seen = printOf(through);
  if (seen === printOf(before)) return { parity: 'ok', bytes, exitFailed: false };
  const after = await fetchSmall(client, url, undefined);
  const isSteady = !(after instanceof Error) && printOf(after) === printOf(before);
  return { parity: isSteady ? 'differs' : 'unknown', bytes, exitFailed: false };
}

async function fetchSmall(client: HttpClient, url: string, exit: string | undefined): Promise<HttpResponse | Error> {
  const limits = { timeoutMs: CHECK_TIMEOUT_MS, maxBodyBytes: MAX_PARITY_BYTES };
  try {
    return await client.fetch(url, exit === undefined ? limits : { ...limits, exit });
  } catch (error) {
    return error instanceof Error ? error : new Error('the check failed', { cause: error });
  }
}

const isExitFailure = (error: Error): boolean => error instanceof FetchFailed && error.kind === 'exit';

/** Status and text; white space is no difference. */
function printOf({ status, body }: HttpResponse): string {
  const text = body.toString('utf8').replace(/\s+/g, ' ').trim();
  return `${status} ${createHash('sha256').update(text).digest('hex')}`;
}
