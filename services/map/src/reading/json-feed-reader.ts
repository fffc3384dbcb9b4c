import { z } from 'zod';
import type { Reader, ReadOutcome, Sink } from './sink.ts';

/** A feed of thousands of entries with their texts is smaller; JSON is only read whole. */
const MAX_CHARS = 8 * 1024 * 1024;

const Item = z.object({
  url: z.string().optional().catch(undefined),
  external_url: z.string().optional().catch(undefined),
  id: z.string().optional().catch(undefined),
  date_modified: z.string().optional().catch(undefined),
  date_published: z.string().optional().catch(undefined),
});
const Feed = z.object({ items: z.array(z.unknown()) });

/** Reads a JSON feed. https://www.jsonfeed.org/version/1.1/ */
export class JsonFeedReader implements Reader {
  readonly #sink: Sink;
  readonly #parts: string[] = [];
  #chars = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(text: string): boolean {
    this.#parts.push(text);
    this.#chars += text.length;
    return this.#chars <= MAX_CHARS;
  }

  end(): ReadOutcome {
    if (this.#chars > MAX_CHARS) return { kind: 'unknown', error: 'too large for a JSON feed: nothing of it was read' };
    const feed = Feed.safeParse(parsed(this.#parts.join('')));
    if (!feed.success) return { kind: 'unknown', error: 'no JSON feed: it has no list of items' };
    for (const told of feed.data.items) if (!this.#item(told)) break;
    return { kind: 'feed', error: undefined };
  }

  /** @returns false where no more is wanted */
  #item(told: unknown): boolean {
    const item = Item.safeParse(told);
    if (!item.success) return true;
    const { url, external_url: external, id = '', ...dates } = item.data;
    // Many feeds have the address of an item as its id alone.
    const loc = url ?? (/^https?:\/\//i.test(id) ? id : external);
    if (loc === undefined || loc === '') return true;
    return this.#sink.entry(loc, (dates.date_modified ?? dates.date_published ?? '').slice(0, 64), '');
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
