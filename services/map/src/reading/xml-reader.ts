import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { Ampersands } from './ampersands.ts';
import { FeedRecord } from './feed-record.ts';
import type { Reader, ReadOutcome, Sink } from './sink.ts';
import { UrlRecord } from './url-record.ts';

const MAX_DEPTH = 100;
/** Characters without a tag after which a file is given up: no element of a sitemap is as long. */
const MAX_SILENCE = 2 * 1024 * 1024;
const MAX_FIELD = 8_192;
const FEED_ROOTS = new Set(['rss', 'rdf', 'feed']);

/** What is gathered between the opening and the closing of one `url`, `sitemap`, `item` or `entry`. */
export interface XmlRecord {
  /** A child of the record opens. @returns whether its text is wanted */
  open(name: string, attributes: Readonly<Record<string, string>>, base: string | undefined): boolean;
  /** The wanted text of a child. */
  text(name: string, value: string): void;
  /** @returns false where no more is wanted */
  finish(sink: Sink): boolean;
}

/** Names without their namespace's prefix: sites bind the namespaces wrongly, or not at all. */
const localName = (name: string): string => name.slice(name.lastIndexOf(':') + 1).toLowerCase();

/** Reads sitemaps, indexes, RSS and Atom as they come, and goes on after what is not well-formed. Entities are never expanded. */
export class XmlReader implements Reader {
  readonly #sink: Sink;
  readonly #parser = new SaxesParser({ xmlns: false, position: true });
  readonly #ampersands = new Ampersands();
  readonly #open: { readonly name: string; readonly base: string | undefined }[] = [];
  #record: { readonly is: XmlRecord; readonly depth: number } | undefined;
  #field = '';
  #text = '';
  #wantsText = false;
  /** Text of the record itself, beside its children. */
  #own = '';
  #kind: ReadOutcome['kind'] = 'unknown';
  #error: string | undefined;
  #stopped = false;
  #lastTagAt = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
    const parser = this.#parser;
    parser.on('error', (error) => this.#fault(error.message));
    parser.on('opentag', (tag) => this.#opened(tag));
    parser.on('closetag', () => this.#closed());
    parser.on('text', (text) => this.#heard(text));
    parser.on('cdata', (text) => this.#heard(text));
  }

  write(text: string): boolean {
    if (this.#stopped) return false;
    this.#parser.write(this.#ampersands.mend(text));
    this.#judgeAmpersands();
    if (this.#parser.position - this.#lastTagAt > MAX_SILENCE) this.#stop('a part of it goes on for megabytes');
    return !this.#stopped;
  }

  end(): ReadOutcome {
    if (!this.#stopped) {
      this.#parser.write(this.#ampersands.end());
      this.#judgeAmpersands();
      this.#parser.close();
    }
    if (this.#record !== undefined) this.#finish();
    return { kind: this.#kind, error: this.#error };
  }

  #fault(message: string, at = this.#parser.position): void {
    if (this.#stopped) return;
    const what = message.replace(/^\d+:\d+: /, '').slice(0, 120);
    this.#error ??= `not well-formed XML after character ${at} (${what}): what could be read is kept`;
  }

  #judgeAmpersands(): void {
    const { firstAt } = this.#ampersands;
    if (firstAt !== undefined) this.#fault('an & that begins no reference', firstAt);
  }

  #stop(why: string): void {
    this.#error ??= why;
    this.#stopped = true;
  }

  #opened({ name: fullName, attributes }: SaxesTagPlain): void {
    if (this.#stopped) return;
    this.#lastTagAt = this.#parser.position;
    const name = localName(fullName);
    const parent = this.#open.at(-1);
    if (parent === undefined) this.#root(name);
    if (this.#open.length >= MAX_DEPTH) this.#stop('its elements are nested too deeply');
    const ownBase = attributes['xml:base'];
    const base = ownBase === undefined ? parent?.base : resolved(ownBase, parent?.base);
    this.#open.push({ name, base });
    this.#wantsText = false;
    if (this.#begins(name)) {
      if (this.#record !== undefined) this.#finish();
      const about = this.#kind === 'feed' ? new FeedRecord(attributes) : new UrlRecord(name === 'sitemap');
      this.#record = { is: about, depth: this.#open.length };
      this.#own = '';
      if (name === 'sitemap' && this.#kind === 'unknown') this.#kind = 'index';
      else if (name === 'url' && this.#kind === 'unknown') this.#kind = 'sitemap';
      return;
    }
    if (this.#record === undefined) return;
    if (/^(?:image|video|link)$/.test(name) && fullName.includes(':') && this.#kind !== 'feed') this.#sink.alternate();
    if (this.#open.length === this.#record.depth + 1 && this.#record.is.open(name, attributes, base)) {
      this.#field = name;
      this.#text = '';
      this.#wantsText = true;
    }
  }

  #begins(name: string): boolean {
    return this.#kind === 'feed' ? name === 'item' || name === 'entry' : name === 'url' || name === 'sitemap';
  }

  #root(name: string): void {
    if (FEED_ROOTS.has(name)) this.#kind = 'feed';
    else if (name === 'urlset') this.#kind = 'sitemap';
    else if (name === 'sitemapindex') this.#kind = 'index';
    else if (name === 'html' || name === 'head' || name === 'body') {
      this.#kind = 'page';
      this.#stopped = true;
    }
  }

  #heard(text: string): void {
    if (this.#wantsText && this.#text.length < MAX_FIELD) this.#text += text;
    else if (this.#record?.depth === this.#open.length && this.#own.length < MAX_FIELD) this.#own += text;
  }

  #closed(): void {
    if (this.#stopped) return;
    this.#lastTagAt = this.#parser.position;
    const depth = this.#open.length;
    const { name = '' } = this.#open.pop() ?? {};
    if (this.#record === undefined) return;
    if (depth === this.#record.depth) this.#finish();
    else if (this.#wantsText && name === this.#field) this.#record.is.text(name, this.#text.trim());
    this.#wantsText = false;
  }

  #finish(): void {
    this.#record?.is.text('', this.#own.trim());
    const wanted = this.#record?.is.finish(this.#sink) ?? true;
    this.#record = undefined;
    if (!wanted) this.#stopped = true;
  }
}

function resolved(base: string, outer: string | undefined): string | undefined {
  if (outer === undefined) return base;
  return URL.parse(base, outer)?.href ?? URL.parse(base)?.href ?? base;
}
