import { setTimeout as sleep } from 'node:timers/promises';
import { FetchFailed } from '@tidemark/egress';
import { holdSeconds } from '@tidemark/host-pace';
import type { DocumentStore } from '../documents/document-store.ts';
import { writeEntries } from '../documents/entry-document.ts';
import type { Scope } from '../domain/scope.ts';
import type { Entry, FileVerdict, FoundBy, SiteFile } from '../domain/tree.ts';
import { type DocumentResult, parseDocument } from '../parsing/parse-document.ts';
import type { Open, OpenedFile, OpenOptions } from '../web/open-file.ts';
import { FileSink, MAX_ENTRIES_PER_FILE } from './file-sink.ts';

/** Size of a file after decompression. https://www.sitemaps.org/protocol.html */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const FILE_TIMEOUT_MS = 60_000;
const MAX_ATTEMPTS = 3;
const MAX_PAUSE_SECONDS = 30;
const FAILED_PAUSE_MS = 1_000;

export interface FileRequest {
  readonly url: string;
  readonly parent: string;
  readonly foundBy: FoundBy;
  /** Number of indexes above the file. */
  readonly level: number;
}

export interface FileResult {
  readonly file: SiteFile;
  readonly level: number;
  readonly entries: readonly Entry[];
  readonly children: readonly string[];
}

export interface ReadFileDeps {
  readonly open: Open;
  readonly documents: DocumentStore;
}

/** Limits of a map that apply to each file. */
export interface FetchContext {
  readonly scope: Scope;
  /** Minimum time between two requests to the host, ms. */
  readonly delayMs: number;
  readonly signal: AbortSignal;
  /** Remaining time of the map, ms. */
  readonly remainingMs: () => number;
}

/** Returns the result of a file of which nothing was read. `error` is a sentence for the user. */
export function unreadFile(request: FileRequest, verdict: FileVerdict, error: string, httpStatus = 0): FileResult {
  const { url, parent, foundBy, level } = request;
  const empty = { kind: '', bytes: 0, urls: 0, alternates: 0, foreign: 0, lastmodFrom: '', lastmodTo: '' } as const;
  const file: SiteFile = { ...empty, url, parent, foundBy, verdict, httpStatus, error, section: '', entries: '' };
  return { file, level, entries: [], children: [] };
}

/**
 * Reads one file of a tree and stores its entries. A failure of the site is part of the result.
 * @throws errors of this service, and the signal's reason
 */
export async function readFile(deps: ReadFileDeps, request: FileRequest, context: FetchContext): Promise<FileResult> {
  for (let attempt = 1; ; attempt += 1) {
    if (context.remainingMs() <= 0) return unreadFile(request, 'skipped', 'not read: the map reached its time limit');
    try {
      const opened = await deps.open(request.url, optionsOf(context, FILE_TIMEOUT_MS));
      if (attempt === MAX_ATTEMPTS || !isWorthAnother(opened)) return await readOpened(deps, request, context, opened);
      opened.body.destroy();
      // The host is held for a requested wait; after another 503 the file alone waits.
      if (opened.requestedWait === undefined) await sleep(FAILED_PAUSE_MS, undefined, { signal: context.signal });
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof FetchFailed)) throw error;
      return unreadFile(request, 'failed', error.message);
    }
  }
}

/** Returns the options for a request of a map that may take `timeoutMs`. */
export const optionsOf = ({ signal, delayMs, remainingMs }: FetchContext, timeoutMs: number): OpenOptions => ({
  signal,
  delayMs,
  timeoutMs: Math.max(1, Math.min(timeoutMs, remainingMs())),
  maxWaitMs: Math.max(1, remainingMs()),
});

/** Returns true for a 503 and for a requested wait up to the limit. */
const isWorthAnother = ({ status, requestedWait }: OpenedFile): boolean =>
  requestedWait === undefined ? status === 503 : holdSeconds(requestedWait, 0) <= MAX_PAUSE_SECONDS;

async function readOpened(
  deps: ReadFileDeps,
  request: FileRequest,
  context: FetchContext,
  opened: OpenedFile,
): Promise<FileResult> {
  const { status, body, landedUrl } = opened;
  if (status < 200 || status >= 300) {
    body.destroy();
    return unreadFile(request, verdictOf(status), `answers ${status}`, status);
  }
  const sink = new FileSink(landedUrl, context.scope);
  const parsed = await parseDocument(body, sink, MAX_FILE_BYTES);
  context.signal.throwIfAborted();
  if (parsed.kind === 'page')
    return unreadFile(request, 'blocked', 'the site answers with an HTML page: a soft 404 or an access check', status);
  if (parsed.kind === 'unknown') {
    const reason = parsed.bytes === 0 ? 'the file is empty' : 'the file is not a sitemap, a feed or a list of URLs';
    return unreadFile(request, 'failed', parsed.error ?? reason, status);
  }
  return { ...(await toFileResult(deps, request, parsed, sink, status)), level: request.level };
}

function verdictOf(status: number): FileVerdict {
  if (status === 404 || status === 410) return 'missing';
  return status >= 400 && status < 500 ? 'blocked' : 'failed';
}

async function toFileResult(
  { documents }: ReadFileDeps,
  { url, parent, foundBy }: FileRequest,
  { kind, bytes, error }: DocumentResult,
  sink: FileSink,
  httpStatus: number,
): Promise<Omit<FileResult, 'level'>> {
  const { entries, children, lastmods } = sink;
  const stored = entries.length === 0 ? undefined : await documents.put(Buffer.from(writeEntries(entries)));
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
    error: problemsOf(error, sink).join('; '),
    entries: stored?.sha256 ?? '',
  };
  return { file, entries, children };
}

function problemsOf(error: string | undefined, { isFull, foreign, invalid }: FileSink): string[] {
  return [
    ...(error === undefined ? [] : [error]),
    ...(isFull ? [`only the first ${MAX_ENTRIES_PER_FILE} entries were read`] : []),
    ...(foreign === 0 ? [] : [`${foreign} URLs of other hosts were left out`]),
    ...(invalid === 0 ? [] : [`${invalid} invalid URLs were left out`]),
  ];
}
