import { setImmediate } from 'node:timers/promises';
import type { FileResponse } from '../../http/endpoint.ts';
import type { CrawledPage } from '../../queries/run-reader.ts';
import type { ListCursors } from '../../requests/list-cursors.ts';
import type { PageLinks } from '../../responses/page-row.ts';
import { toCrawlRow } from '../../responses/run-envelope.ts';

/** Characters that are written before the event loop gets a turn: about a millisecond. */
const CHARS_PER_TURN = 256 * 1024;

interface Lines {
  /** Bodies of the rows. */
  readonly formats: readonly string[];
  readonly links: PageLinks;
  readonly cursors: ListCursors;
}

/** Writes the rows of pages as lines of JSON, with a cursor after each. The first batch is read before this resolves. @throws AppError */
export async function rowLines(
  batches: AsyncGenerator<readonly CrawledPage[], void, undefined>,
  lines: Lines,
): Promise<FileResponse> {
  const stop = new AbortController();
  // Errors of the request are returned with their status, which a stream that has begun can not.
  const first = await batches.next();
  return { chunks: chunksOf(first, batches, lines, stop.signal), stop };
}

/** Reads one batch ahead of the one that is written. */
async function* chunksOf(
  first: IteratorResult<readonly CrawledPage[], void>,
  batches: AsyncGenerator<readonly CrawledPage[], void, undefined>,
  lines: Lines,
  stop: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    for (let now = first; now.done !== true && !stop.aborted; ) {
      const next = batches.next();
      // A failure is reported by the await below, after the pages before it were written.
      next.catch(() => undefined);
      yield* encode(now.value, lines);
      now = await next;
    }
  } finally {
    await batches.return();
  }
}

async function* encode(
  pages: readonly CrawledPage[],
  { formats, links, cursors }: Lines,
): AsyncGenerator<Uint8Array, void, undefined> {
  let text = '';
  for (const page of pages) {
    text += `${JSON.stringify({ ...toCrawlRow(page, formats, links), cursor: cursors.seal(page.known.number) })}\n`;
    if (text.length < CHARS_PER_TURN) continue;
    yield Buffer.from(text);
    text = '';
    await setImmediate();
  }
  if (text !== '') yield Buffer.from(text);
}
