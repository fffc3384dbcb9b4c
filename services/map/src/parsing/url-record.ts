import type { Sink } from './sink.ts';
import type { XmlRecord } from './xml-record.ts';

/** Collects a `url` of a sitemap or a `sitemap` of an index. https://www.sitemaps.org/protocol.html */
export class UrlRecord implements XmlRecord {
  readonly #isChild: boolean;
  #loc = '';
  #lastmod = '';
  #changefreq = '';

  constructor(isChild: boolean) {
    this.#isChild = isChild;
  }

  openChild(name: string): boolean {
    return name === 'loc' || name === 'lastmod' || name === 'changefreq';
  }

  text(name: string, value: string): void {
    if (name === 'loc' && this.#loc === '') this.#loc = value;
    // Some sites write the URL directly into the element, without `loc`.
    else if (name === '' && this.#loc === '' && /^https?:\/\/\S+$/i.test(value)) this.#loc = value;
    else if (name === 'lastmod') this.#lastmod = value.slice(0, 64);
    else if (name === 'changefreq') this.#changefreq = value.slice(0, 64).toLowerCase();
  }

  finish(sink: Sink): boolean {
    if (this.#loc === '') return true;
    return this.#isChild ? sink.child(this.#loc) : sink.entry(this.#loc, this.#lastmod, this.#changefreq);
  }
}
