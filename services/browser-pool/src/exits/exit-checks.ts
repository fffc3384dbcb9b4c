import { createHash } from 'node:crypto';
import { FetchFailed, type HttpClient, type HttpResponse } from '@tidemark/egress';
import type { Exit } from './exit-list.ts';
import type { ParityResult, ProbeResult } from './exits.ts';

const CHECK_TIMEOUT_MS = 15_000;
const MAX_PARITY_BYTES = 256 * 1024;

/** Fetches the page through the exit. A failure that is not the exit's own has no significance. */
export async function probe(client: HttpClient, url: string | undefined, exit: Exit): Promise<ProbeResult> {
  if (url === undefined) return { outcome: 'unknown', bytes: 0 };
  const response = await fetchSmall(client, url, exit.url);
  if (!(response instanceof Error)) return { outcome: 'ok', bytes: response.exitBytes };
  return { outcome: isExitFailure(response) ? 'failed' : 'unknown', bytes: 0 };
}

/** Compares the page through the exit with direct fetches before and after it: a page that changes by itself proves no difference. */
export async function checkParity(client: HttpClient, url: string, exit: Exit): Promise<ParityResult> {
  const before = await fetchSmall(client, url, undefined);
  if (before instanceof Error) return { parity: 'unknown', bytes: 0, exitFailed: false };
  const through = await fetchSmall(client, url, exit.url);
  if (through instanceof Error) return { parity: 'unknown', bytes: 0, exitFailed: isExitFailure(through) };
  const bytes = through.exitBytes;
  const exitFingerprint = fingerprintOf(through);
  if (exitFingerprint === fingerprintOf(before)) return { parity: 'ok', bytes, exitFailed: false };
  const after = await fetchSmall(client, url, undefined);
  const isSteady = !(after instanceof Error) && fingerprintOf(after) === fingerprintOf(before);
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

/** Hash of status and text, with white space normalised. */
function fingerprintOf({ status, body }: HttpResponse): string {
  const text = body.toString('utf8').replace(/\s+/g, ' ').trim();
  return `${status} ${createHash('sha256').update(text).digest('hex')}`;
}
