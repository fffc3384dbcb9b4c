import { FetchFailed } from '@tidemark/egress';
import type { DocumentStore } from '../documents/document-store.ts';
import { writeEntries } from '../documents/entry-document.ts';
import type { Scope } from '../domain/scope.ts';
import type { Entry, FileVerdict, FoundBy, SiteFile } from '../domain/tree.ts';
import { type DocumentResult, parseDocument } from '../parsing/parse-document.ts';
import type { HostLimiter } from '../web/host-limiter.ts';
import type { Open, OpenedFile } from '../web/open-file.ts';
import { FileSink, MAX_ENTRIES_PER_FILE } from './file-sink.ts';

/** Size of a file after decompression. https://www.sitemaps.org/protocol.html */
const MAX_FILE_BYTES = 50 * 1024 * 1024;
const FILE_TIMEOUT_MS = 60_000;
const MAX_ATTEMPTS = 3;
const MAX_PAUSE_SECONDS = 30;

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
  readonly hosts: HostLimiter;
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
  const host = new URL(request.url).host;
  for (let attempt = 1; ; attempt += 1) {
    const slot = await deps.hosts.acquire(host, context.delayMs, context.signal);
    try {
      const timeoutMs = Math.min(FILE_TIMEOUT_MS, context.remainingMs());
      if (timeoutMs <= 0) return unreadFile(request, 'skipped', 'not read: the map reached its time limit');
      const opened = await deps.open(request.url, { signal: context.signal, timeoutMs });
      const pauseSeconds = pauseSecondsOf(opened);
      if (pauseSeconds === undefined || attempt === MAX_ATTEMPTS)
        return await readOpened(deps, request, context, opened);
      opened.body.destroy();
      deps.hosts.pause(host, pauseSeconds * 1_000);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof FetchFailed)) throw error;
      return unreadFile(request, 'failed', error.message);
    } finally {
      slot.release();
    }
  }
}

/** Returns the pause that a 429 or 503 requests; undefined for other statuses and for a pause above the limit. */
function pauseSecondsOf({ status, retryAfterSeconds }: OpenedFile): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const seconds = retryAfterSeconds ?? 1;
  return seconds > MAX_PAUSE_SECONDS ? undefined : seconds;
}

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
