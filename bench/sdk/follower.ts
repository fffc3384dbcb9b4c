// Follows a crawl through the SDK and prints each row's URL and the heap after collections, until it is stopped by SIGINT.
// Arguments: id of the crawl, cursor (empty: from its beginning). Environment: TIDEMARK_API_KEY, TIDEMARK_BASE_URL.
import { Tidemark } from '@tidemark/sdk';

const [id = '', cursor = ''] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGINT', () => stop.abort(new Error('stopped')));

const print = (line: Readonly<Record<string, unknown>>): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const MB = 1024 * 1024;
/** Rows between two measurements of the heap. */
const EVERY = 500;

let rows = 0;
let characters = 0;
try {
  for await (const list of new Tidemark().crawl.of(id).lists({ cursor, signal: stop.signal, formats: 'markdown' })) {
    for (const row of list.data) characters += row.markdown?.length ?? 0;
    print({ urls: list.data.map(({ url }) => url), cursor: list.cursor });
    const measured = Math.floor((rows + list.data.length) / EVERY) > Math.floor(rows / EVERY);
    rows += list.data.length;
    if (!measured) continue;
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    print({ rows, heapMb: heapUsed / MB, rssMb: rss / MB, characters });
  }
  print({ end: true });
} catch (error) {
  if (!stop.signal.aborted) throw error;
}
