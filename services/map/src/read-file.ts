import { FetchFailed } from '@tidemark/egress';
import type { Documents } from './documents.ts';
import { writeEntries } from './domain/entry-document.ts';
import type { Scope } from './domain/scope.ts';
import type { Entry, FileVerdict, FoundBy, SiteFile } from './domain/tree.ts';
import { FileSink, MAX_ENTRIES_A_FILE } from './file-sink.ts';
import { type DocumentOutcome, readDocument } from './reading/read-document.ts';
import type { HostTurns } from './web/host-turns.ts';
import type { Open, OpenFile } from './web/open-file.ts';

/** Bytes of a file, unpacked, as the protocol bounds it. https://www.sitemaps.org/protocol.html */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const FILE_MS = 60_000;
const ATTEMPTS = 3;
const MAX_HOLD_SECONDS = 30;

export interface FileOrder {
  readonly url: string;
  readonly parent: string;
  readonly foundBy: FoundBy;
  /** Indexes above it. */
  readonly level: number;
}

export interface FileRead {
  readonly file: SiteFile;
  readonly level: number;
  readonly entries: readonly Entry[];
  readonly children: readonly string[];
}

export interface ReadFileDeps {
  readonly open: Open;
  readonly turns: HostTurns;
  readonly blobs: Documents;
}

/** What a map grants the reading of a file. */
export interface Visit {
  readonly scope: Scope;
  readonly gapMs: number;
  readonly signal: AbortSignal;
  readonly remainingMs: () => number;
}

/** A file nothing was read of, and why. */
export function unread(order: FileOrder, verdict: FileVerdict, error: string, httpStatus = 0): FileRead {
  const { url, parent, foundBy, level } = order;
  const nothing = { kind: '', bytes: 0, urls: 0, alternates: 0, foreign: 0, lastmodFrom: '', lastmodTo: '' } as const;
  const file: SiteFile = { ...nothing, url, parent, foundBy, verdict, httpStatus, error, section: '', entries: '' };
  return { file, level, entries: [], children: [] };
}

/** Reads one file of a tree and keeps its entries. A file that fails is data. @throws what is wrong on our side, or the signal's reason */
export async function readFile(deps: ReadFileDeps, order: FileOrder, visit: Visit): Promise<FileRead> {
  const host = new URL(order.url).host;
  for (let attempt = 1; ; attempt += 1) {
    const turn = await deps.turns.take(host, visit.gapMs, visit.signal);
    try {
      const timeoutMs = Math.min(FILE_MS, visit.remainingMs());
      if (timeoutMs <= 0) return unread(order, 'skipped', 'not read: the map ran out of time');
      const opened = await deps.open(order.url, { signal: visit.signal, timeoutMs });
      const holdSeconds = heldFor(opened);
      if (holdSeconds === undefined || attempt === ATTEMPTS) return await readOpened(deps, order, visit, opened);
      opened.body.destroy();
      deps.turns.hold(host, holdSeconds * 1_000);
    } catch (error) {
      visit.signal.throwIfAborted();
      if (!(error instanceof FetchFailed)) throw error;
      return unread(order, 'failed', error.message);
    } finally {
      turn.done();
    }
  }
}

/** How long a host that asks for it is left alone; undefined where it doesn't, or for longer than a map waits. */
function heldFor({ status, retryAfterSeconds }: OpenFile): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const seconds = retryAfterSeconds ?? 1;
  return seconds > MAX_HOLD_SECONDS ? undefined : seconds;
}

async function readOpened(deps: ReadFileDeps, order: FileOrder, visit: Visit, opened: OpenFile): Promise<FileRead> {
  const { status, body, landedUrl } = opened;
  if (status < 200 || status >= 300) {
    body.destroy();
    const verdict = status === 404 || status === 410 ? 'missing' : status >= 400 && status < 500 ? 'blocked' : 'failed';
    return unread(order, verdict, `answers ${status}`, status);
  }
  const sink = new FileSink(landedUrl, visit.scope);
  const outcome = await readDocument(body, sink, MAX_FILE_BYTES);
  visit.signal.throwIfAborted();
  if (outcome.kind === 'page')
    return unread(order, 'blocked', 'a page is answered in its place: a soft 404 or a wall', status);
  if (outcome.kind === 'unknown') {
    const why = outcome.bytes === 0 ? 'it is empty' : 'it is neither a sitemap nor a feed nor a list of addresses';
    return unread(order, 'failed', outcome.error ?? why, status);
  }
  return { ...(await described(deps, order, outcome, sink, status)), level: order.level };
}

async function described(
  { blobs }: ReadFileDeps,
  { url, parent, foundBy }: FileOrder,
  { kind, bytes, error }: DocumentOutcome,
  sink: FileSink,
  httpStatus: number,
): Promise<Omit<FileRead, 'level'>> {
  const { entries, children, lastmods } = sink;
  const faults = faultsOf(error, sink);
  const kept = entries.length === 0 ? undefined : await blobs.put(Buffer.from(writeEntries(entries)));
  const file: SiteFile = {
    url,
    parent,
    foundBy,
    kind: kind === 'page' || kind === 'unknown' ? '' : kind,
    verdict: error === undefined && !sink.isFull ? 'read' : 'partial',
    httpStatus,
    bytes,
    urls: kind === 'index' ? children.length : entries.length,
    alternates: sink.alternates,
    foreign: sink.foreign,
    section: sink.sections.of(url),
    lastmodFrom: lastmods.from,
    lastmodTo: lastmods.to,
    error: faults.join('; '),
    entries: kept?.sha256 ?? '',
  };
  return { file, entries, children };
}

function faultsOf(error: string | undefined, { isFull, foreign, odd }: FileSink): string[] {
  return [
    ...(error === undefined ? [] : [error]),
    ...(isFull ? [`it goes on after ${MAX_ENTRIES_A_FILE} entries, where reading ended`] : []),
    ...(foreign === 0 ? [] : [`${foreign} addresses of other hosts were left out`]),
    ...(odd === 0 ? [] : [`${odd} addresses can’t be read as such`]),
  ];
}
