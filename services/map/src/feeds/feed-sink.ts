import { normalizeUrl } from '@tidemark/web-url';
import type { Sink } from '../parsing/sink.ts';

/** https://www.sitemaps.org/protocol.html */
const MAX_URL_CHARS = 2_048;

/** Collects the URLs of a feed's entries: absolute, without duplicates, of any site, in feed order. */
export class FeedSink implements Sink {
  readonly #found = new Set<string>();
  readonly #limit: number;
  readonly #feedUrl: string;
  /** Files of a sitemap index; a feed has none. */
  children = 0;

  constructor(feedUrl: string, limit: number) {
    this.#feedUrl = feedUrl;
    this.#limit = limit;
  }

  entry(loc: string, _lastmod: string, _changefreq: string, base?: string): boolean {
    const baseUrl = base === undefined ? this.#feedUrl : (URL.parse(base, this.#feedUrl)?.href ?? this.#feedUrl);
    const url = loc.length > MAX_URL_CHARS ? null : URL.parse(loc, baseUrl);
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
