import { z } from 'zod';
import type { ParseResult, Parser, Sink } from './sink.ts';

/** JSON is parsed as a whole, so its size is limited. A feed of thousands of entries with their texts is smaller. */
const MAX_CHARS = 8 * 1024 * 1024;

const Item = z.object({
  url: z.string().optional().catch(undefined),
  external_url: z.string().optional().catch(undefined),
  id: z.string().optional().catch(undefined),
  date_modified: z.string().optional().catch(undefined),
  date_published: z.string().optional().catch(undefined),
});
const Feed = z.object({ items: z.array(z.unknown()) });

/** Parses a JSON feed. https://www.jsonfeed.org/version/1.1/ */
export class JsonFeedParser implements Parser {
  readonly #sink: Sink;
  readonly #chunks: string[] = [];
  #chars = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(text: string): boolean {
    this.#chunks.push(text);
    this.#chars += text.length;
    return this.#chars <= MAX_CHARS;
  }

  end(): ParseResult {
    if (this.#chars > MAX_CHARS) return { kind: 'unknown', error: 'the JSON feed exceeds the size limit' };
    const feed = Feed.safeParse(parseJson(this.#chunks.join('')));
    if (!feed.success) return { kind: 'unknown', error: 'the JSON is not a feed: it has no list of items' };
    for (const raw of feed.data.items) if (!this.#item(raw)) break;
    return { kind: 'feed', error: undefined };
  }

  /** @returns false if the sink accepts no more */
  #item(raw: unknown): boolean {
    const item = Item.safeParse(raw);
    if (!item.success) return true;
    const { url, external_url: external, id = '', ...dates } = item.data;
    // Many feeds give the URL of an item only as its id.
    const loc = url ?? (/^https?:\/\//i.test(id) ? id : external);
    if (loc === undefined || loc === '') return true;
    return this.#sink.entry(loc, (dates.date_modified ?? dates.date_published ?? '').slice(0, 64), '');
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
