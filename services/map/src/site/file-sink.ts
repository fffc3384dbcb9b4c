import { normalizeUrl } from '@tidemark/web-url';
import type { Scope } from '../domain/scope.ts';
import { SectionFinder } from '../domain/section.ts';
import type { Entry } from '../domain/tree.ts';
import type { Sink } from '../parsing/sink.ts';

/** The protocol allows 50,000 per file; larger files are common and are read up to this limit. */
export const MAX_ENTRIES_PER_FILE = 200_000;
const MAX_CHILDREN = 50_000;
/** https://www.sitemaps.org/protocol.html */
const MAX_URL_CHARS = 2_048;

/** Collects the entries of one file that belong to the site, and counts the others. */
export class FileSink implements Sink {
  readonly entries: Entry[] = [];
  readonly children: string[] = [];
  readonly sections = new SectionFinder();
  alternates = 0;
  foreign = 0;
  /** Entries that are not valid http(s) URLs. */
  invalid = 0;
  isFull = false;
  readonly #fileUrl: string;
  readonly #scope: Scope;
  #fromMs = Number.POSITIVE_INFINITY;
  #toMs = Number.NEGATIVE_INFINITY;

  constructor(fileUrl: string, scope: Scope) {
    this.#fileUrl = fileUrl;
    this.#scope = scope;
  }

  entry(loc: string, lastmod: string, changefreq: string, base?: string): boolean {
    const url = this.#parse(loc, base);
    if (url === undefined) return true;
    if (!this.#scope.has(url)) {
      this.foreign += 1;
      return true;
    }
    const normalized = normalizeUrl(url);
    this.entries.push({ url: normalized, lastmod, changefreq });
    this.sections.add(normalized);
    if (lastmod !== '') this.#addDate(lastmod);
    this.isFull = this.entries.length >= MAX_ENTRIES_PER_FILE;
    return !this.isFull;
  }

  child(loc: string): boolean {
    const url = this.#parse(loc, undefined);
    if (url !== undefined) this.children.push(url.href);
    this.isFull = this.children.length >= MAX_CHILDREN;
    return !this.isFull;
  }

  alternate(): void {
    this.alternates += 1;
  }

  #parse(loc: string, base: string | undefined): URL | undefined {
    const baseUrl = base === undefined ? this.#fileUrl : (URL.parse(base, this.#fileUrl)?.href ?? this.#fileUrl);
    const url = loc.length > MAX_URL_CHARS ? null : URL.parse(loc, baseUrl);
    if (url !== null && (url.protocol === 'https:' || url.protocol === 'http:') && url.username === '') {
      url.hash = '';
      return url;
    }
    this.invalid += 1;
    return undefined;
  }

  #addDate(lastmod: string): void {
    const at = Date.parse(lastmod);
    if (at < this.#fromMs) this.#fromMs = at;
    if (at > this.#toMs) this.#toMs = at;
  }

  /** Earliest and latest `lastmod`, ISO 8601; empty if no entry has one. */
  get lastmods(): { from: string; to: string } {
    if (this.#fromMs > this.#toMs) return { from: '', to: '' };
    return { from: new Date(this.#fromMs).toISOString(), to: new Date(this.#toMs).toISOString() };
  }
}
