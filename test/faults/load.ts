import { setTimeout as backOff } from 'node:timers/promises';
import { type Api, type ApiResponse, errorOf } from '../harness/api.ts';
import { until } from '../harness/until.ts';
import type { Web } from '../web/server.ts';

/** A job in progress: its request was sent, and the site has not responded. */
export async function startHeld(api: Api, web: Web, gate: string, order: object = {}): Promise<string> {
  const { job } = await api.scrape({ url: web.url(`/gate/${gate}`), timeout: 1, ...order });
  await until('a request at the site', () => web.hits(`/gate/${gate}`).length > 0, { withinMs: 15_000 });
  return job.id;
}

/** Result of a request sent during a fault: the id of its job if it was accepted. */
export type Outcome =
  | { readonly accepted: string }
  | { readonly refused: number; readonly code: string }
  | { readonly cutOff: string };

async function outcomeOf(response: Promise<ApiResponse>): Promise<Outcome> {
  try {
    const got = await response;
    if (got.status === 200 || got.status === 202) return { accepted: (got.body as { id: string }).id };
    return { refused: got.status, code: errorOf(got).code };
  } catch (error) {
    return { cutOff: String(error) };
  }
}

/** Concurrent requests of the load. */
const CLIENTS = 4;
/** A client that was refused waits before its next request, ms: without it a fault of seconds makes thousands of requests. */
const BACKOFF_MS = 100;

/** Captures one page after another, several at a time, until it is stopped. */
export function startLoad(api: Api, url: string) {
  const outcomes: Outcome[] = [];
  let stopped = false;
  const client = async (): Promise<void> => {
    while (!stopped) {
      const outcome = await outcomeOf(api.post('/scrape', { url, timeout: 5 }));
      outcomes.push(outcome);
      if (!('accepted' in outcome)) await backOff(BACKOFF_MS);
    }
  };
  const running = Promise.all(Array.from({ length: CLIENTS }, client));
  return {
    /** Resolves when `count` more requests have been accepted. */
    accepts: (count: number, withinMs = 60_000) => {
      const before = acceptedOf(outcomes).length;
      return until(`${count} more captures to be accepted`, () => acceptedOf(outcomes).length >= before + count, {
        withinMs,
      });
    },
    async stop(): Promise<readonly Outcome[]> {
      stopped = true;
      await running;
      return outcomes;
    },
  };
}

export const acceptedOf = (outcomes: readonly Outcome[]): string[] =>
  outcomes.flatMap((outcome) => ('accepted' in outcome ? [outcome.accepted] : []));

/** Counts unexpected responses by status and code: all but acceptances, 503s and broken connections. */
export function inexcusable(outcomes: readonly Outcome[]): Record<string, number> {
  const refused = outcomes.flatMap((outcome) => ('refused' in outcome && outcome.refused !== 503 ? [outcome] : []));
  const groups = Map.groupBy(refused, ({ refused: status, code }) => `${status} ${code}`);
  return Object.fromEntries([...groups].map(([name, some]) => [name, some.length]));
}
