import { setTimeout as sleep } from 'node:timers/promises';
import type { LoggedRequest, Tidemark } from '@tidemark/sdk';
import type { Command } from 'commander';
import { type Context, contextOf } from '../context.ts';
import { addListOptions, type ListFlags, type ListPart, printList } from '../list.ts';
import { SeenRequests } from '../seen-requests.ts';
import type { Row } from '../terminal/output.ts';

/** Interval of `--tail`, ms. */
const POLL_MS = 1_500;
const MAX_LISTED = 1_000;

interface FilterFlags {
  readonly key?: string;
  readonly status?: string;
  readonly failed?: true;
  readonly code?: string;
  readonly route?: string;
  readonly requestId?: string;
  readonly from?: string;
  readonly to?: string;
}

interface LogFlags extends FilterFlags, ListFlags {
  readonly tail?: true;
}

const columns = (request: LoggedRequest): Row => ({
  at: request.at,
  status: request.status,
  ms: request.durationMs,
  credits: request.creditsUsed,
  request: `${request.method} ${request.path}`,
  key: request.key || request.keyId,
  request_id: request.request_id,
  error: request.code === null ? null : `${request.code}: ${request.message ?? ''}`,
});

const line = (request: LoggedRequest): string => {
  const { at, status, ms, request: sent, credits, request_id, error } = columns(request);
  return [
    at,
    status,
    `${ms} ms`,
    sent,
    ...(credits === null ? [] : [`${credits} credits`]),
    request_id,
    ...(error === null ? [] : [error]),
  ].join('  ');
};

const filterOf = ({ key, status, failed, code, route, requestId, from, to }: FilterFlags) => ({
  ...(key === undefined ? {} : { key }),
  ...(status === undefined && failed === undefined ? {} : { status: status ?? 'failed' }),
  ...(code === undefined ? {} : { code }),
  ...(route === undefined ? {} : { route }),
  ...(requestId === undefined ? {} : { request_id: requestId }),
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
});

/** Reads all requests from a time on. */
async function readFrom(api: Tidemark, flags: FilterFlags, { from, signal }: { from: Date; signal: AbortSignal }) {
  const query = { ...filterOf(flags), from: from.toISOString(), limit: MAX_LISTED };
  const found: LoggedRequest[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const part: ListPart<LoggedRequest> = await api.call('GET /me/requests', { query: { ...query, cursor }, signal });
    found.push(...part.data);
    cursor = part.cursor;
  }
  return found;
}

/** Prints requests as they are logged, until Ctrl-C. */
async function tail({ client, out, signal }: Context, flags: FilterFlags): Promise<void> {
  const api = client();
  const seen = new SeenRequests(Date.now());
  out.note('waiting for requests; Ctrl-C ends');
  while (!signal.aborted) {
    const found = await readFrom(api, flags, { from: seen.from(), signal });
    for (const request of seen.add(found)) out.isJson ? out.record(request) : out.text(line(request));
    await sleep(POLL_MS, undefined, { signal });
  }
}

export function addLogs(program: Command): void {
  const logs = program.command('logs').description('requests of the keys of the workspace in the last days');
  const list = logs.command('list', { isDefault: true }).description('list requests, newest first');
  addFilter(addListOptions(list))
    .option('--status <status>', 'a status such as 404, or a class such as 4xx')
    .option('--failed', 'failed requests alone')
    .option('--request-id <id>', 'the request with this id')
    .option('--tail', 'print requests as they arrive, until Ctrl-C')
    .addHelpText(
      'before',
      'Examples:\n  tidemark logs --failed\n  tidemark logs --tail --key key_01j…\n  tidemark logs failures\n',
    )
    .action(async (flags: LogFlags, command: Command) => {
      const context = contextOf(command);
      if (flags.tail === true) return tail(context, flags);
      const api = context.client();
      await printList(context, flags, {
        atOnce: MAX_LISTED,
        read: ({ limit, cursor }) =>
          api.call('GET /me/requests', {
            query: { ...filterOf(flags), limit, ...(cursor === undefined ? {} : { cursor }) },
            signal: context.signal,
          }),
        columns,
      });
    });
  addFilter(
    logs.command('failures').description('failed requests by route, status and code, most frequent first'),
  ).action(async (flags: FilterFlags, command: Command) => {
    const { client, out, signal } = contextOf(command);
    const { data } = await client().call('GET /me/requests/failures', { query: filterOf(flags), signal });
    await out.rows(data, ({ count, status, code, route, keys, lastAt, request_id, message }) => ({
      count,
      status,
      code,
      route,
      keys,
      lastAt,
      request_id,
      message,
    }));
  });
}

const addFilter = (command: Command): Command =>
  command
    .option('--key <id>', 'requests of this key (key_…)')
    .option('--code <code>', 'requests with this error, such as rate_limited')
    .option('--route <route>', 'requests of this route, such as "POST /v1/scrape"')
    .option('--from <time>', 'requests from this time on (ISO 8601)')
    .option('--to <time>', 'requests before this time (ISO 8601)');
