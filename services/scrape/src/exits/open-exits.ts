import { createHash } from 'node:crypto';
import { FetchFailed, type HttpAnswer, type HttpClient } from '@tidemark/egress';
import { type Exit, parseExits } from './exit-list.ts';
import { Exits, type ParityResult, type ProbeResult } from './exits.ts';

export interface ExitsConfig {
  /** Entries or the path of a .json file; see `parseExits`. Empty: no exits. */
  readonly TIDEMARK_EXITS: string;
  /** A small page that is the same for everybody, to compare exits by and to see whether a dead one is back. */
  readonly TIDEMARK_PARITY_URL?: string | undefined;
}

const CHECK_EVERY_MS = 5_000;
const CHECK_TIMEOUT_MS = 15_000;
const MAX_PARITY_BYTES = 256 * 1024;

/** The exits of the deployment, checked while it runs. Throws RangeError where they can't be read. Close it at the end. */
export function openExits(config: ExitsConfig, client: HttpClient): Exits {
  const { TIDEMARK_PARITY_URL: parityUrl } = config;
  const now = () => Date.now();
  const exits = new Exits(parseExits(config.TIDEMARK_EXITS), {
    now,
    random: Math.random,
    probe: (exit) => probe(client, parityUrl, exit),
    ...(parityUrl === undefined ? {} : { checkParity: (exit: Exit) => checkParity(client, parityUrl, exit) }),
  });
  if (!exits.isEmpty) exits.start(CHECK_EVERY_MS);
  return exits;
}

/** Any failure but the exit's own is an answer of the exit. */
export async function probe(client: HttpClient, url: string | undefined, exit: Exit): Promise<ProbeResult> {
  if (url === undefined) return { outcome: 'unknown', bytes: 0 };
  const answer = await fetchSmall(client, url, exit.url);
  if (!(answer instanceof Error)) return { outcome: 'ok', bytes: answer.exitBytes };
  return { outcome: isExitFailure(answer) ? 'failed' : 'unknown', bytes: 0 };
}

/** Fetches the page directly before and after, so that a page which changes by itself accuses nobody. */
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

async function fetchSmall(client: HttpClient, url: string, exit: string | undefined): Promise<HttpAnswer | Error> {
  const limits = { timeoutMs: CHECK_TIMEOUT_MS, maxBodyBytes: MAX_PARITY_BYTES };
  try {
    return await client.fetch(url, exit === undefined ? limits : { ...limits, exit });
  } catch (error) {
    return error instanceof Error ? error : new Error('the check failed', { cause: error });
  }
}

const isExitFailure = (error: Error): boolean => error instanceof FetchFailed && error.kind === 'exit';

/** Status and text; white space is no difference. */
function printOf({ status, body }: HttpAnswer): string {
  const text = body.toString('utf8').replace(/\s+/g, ' ').trim();
  return `${status} ${createHash('sha256').update(text).digest('hex')}`;
}
