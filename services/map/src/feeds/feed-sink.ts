import { normalizeUrl } from '@tidemark/web-url';
import type { Sink } from '../reading/sink.ts';

/** As the protocol of sitemaps bounds them. */
const MAX_URL_CHARS = 2_048;

/** Addresses of a feed's entries, whichever site they are of: absolute, each once, in its order. */
export class FeedSink implements Sink {
  readonly #found = new Set<string>();
  readonly #limit: number;
  readonly #feedUrl: string;
  /** Files of an index, which is no feed. */
  children = 0;

  constructor(feedUrl: string, limit: number) {
    this.#feedUrl = feedUrl;
    this.#limit = limit;
  }

  entry(loc: string, _lastmod: string, _changefreq: string, base?: string): boolean {
    const around = base === undefined ? this.#feedUrl : (URL.parse(base, this.#feedUrl)?.href ?? this.#feedUrl);
    const url = loc.length > MAX_URL_CHARS ? null : URL.parse(loc, around);
    if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '') {
      const normal = normalizeUrl(url);
      if (normal.length <= MAX_URL_CHARS) this.#found.add(normal);
    }
    return this.#found.size < this.#limit;
  }

  child(): boolean {
    this.children += 1;
    return false;
  }

  alternate(): void {}

  get entries(): string[] {
    return [...this.#found];
  }
}
