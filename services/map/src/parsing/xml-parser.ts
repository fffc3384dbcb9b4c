import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { AmpersandEscaper } from './ampersand-escaper.ts';
import { FeedRecord } from './feed-record.ts';
import type { ParseResult, Parser, Sink } from './sink.ts';
import { UrlRecord } from './url-record.ts';
import type { XmlRecord } from './xml-record.ts';

const MAX_DEPTH = 100;
/** No element of a sitemap is longer; parsing stops after this many characters without a tag. */
const MAX_CHARS_WITHOUT_TAG = 2 * 1024 * 1024;
const MAX_FIELD_CHARS = 8_192;
/** A file with more errors is no XML. saxes makes an Error with a stack for each, which takes 5 µs: a file of errors alone would take minutes. */
const MAX_ERRORS = 50_000;
const FEED_ROOTS = new Set(['rss', 'rdf', 'feed']);
/** Elements of the image, video and xhtml namespaces that name another form of a page. */
const ALTERNATES = new Set(['image', 'video', 'link']);

/** Returns a name without its namespace prefix. Namespaces are ignored because many sites bind them wrongly or not at all. */
const localName = (name: string): string => name.slice(name.lastIndexOf(':') + 1).toLowerCase();

/** Parses sitemaps, sitemap indexes, RSS and Atom as a stream. Continues after errors. Never expands entities. */
export class XmlParser implements Parser {
  readonly #sink: Sink;
  readonly #parser = new SaxesParser({ xmlns: false, position: true });
  readonly #ampersands = new AmpersandEscaper();
  readonly #elements: { readonly name: string; readonly base: string | undefined }[] = [];
  #record: { readonly fields: XmlRecord; readonly depth: number } | undefined;
  #field = '';
  #fieldText = '';
  #collectsText = false;
  /** Text of the record element outside its children. */
  #recordText = '';
  #kind: ParseResult['kind'] = 'unknown';
  #error: string | undefined;
  #stopped = false;
  #lastTagAt = 0;
  #errors = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
    const parser = this.#parser;
    parser.on('error', (error) => this.#onError(error.message));
    parser.on('opentag', (tag) => this.#onOpenTag(tag));
    parser.on('closetag', () => this.#onCloseTag());
    parser.on('text', (text) => this.#onText(text));
    parser.on('cdata', (text) => this.#onText(text));
  }

  write(text: string): boolean {
    if (this.#stopped) return false;
    this.#parser.write(this.#ampersands.escape(text));
    this.#recordAmpersandError();
    if (this.#parser.position - this.#lastTagAt > MAX_CHARS_WITHOUT_TAG) this.#stop('an element is longer than 2 MB');
    return !this.#stopped;
  }

  end(): ParseResult {
    if (!this.#stopped) {
      this.#parser.write(this.#ampersands.end());
      this.#recordAmpersandError();
      this.#parser.close();
    }
    if (this.#record !== undefined) this.#finishRecord();
    return { kind: this.#kind, error: this.#error };
  }

  #onError(message: string): void {
    this.#recordError(message);
    this.#errors += 1;
    if (this.#errors > MAX_ERRORS) this.#stopped = true;
  }

  #recordError(message: string, at = this.#parser.position): void {
    if (this.#stopped) return;
    const problem = message.replace(/^\d+:\d+: /, '').slice(0, 120);
    this.#error ??= `not well-formed XML after character ${at} (${problem}); the entries that could be read are kept`;
  }

  #recordAmpersandError(): void {
    const { firstAt } = this.#ampersands;
    if (firstAt !== undefined) this.#recordError('unescaped &', firstAt);
  }

  #stop(reason: string): void {
    this.#error ??= reason;
    this.#stopped = true;
  }

  #onOpenTag({ name: fullName, attributes }: SaxesTagPlain): void {
    if (this.#stopped) return;
    this.#lastTagAt = this.#parser.position;
    const name = localName(fullName);
    const parent = this.#elements.at(-1);
    if (parent === undefined) this.#setKind(name);
    if (this.#elements.length >= MAX_DEPTH) this.#stop('elements are nested too deeply');
    const ownBase = attributes['xml:base'];
    const base = ownBase === undefined ? parent?.base : resolveBase(ownBase, parent?.base);
    this.#elements.push({ name, base });
    this.#collectsText = false;
    if (this.#startsRecord(name)) this.#openRecord(name, attributes);
    else if (this.#record !== undefined) {
      if (this.#kind !== 'feed' && fullName.includes(':') && ALTERNATES.has(name)) this.#sink.alternate();
      const isChild = this.#elements.length === this.#record.depth + 1;
      if (isChild && this.#record.fields.openChild(name, attributes, base)) this.#openField(name);
    }
  }

  #openRecord(name: string, attributes: SaxesTagPlain['attributes']): void {
    if (this.#record !== undefined) this.#finishRecord();
    const fields = this.#kind === 'feed' ? new FeedRecord(attributes) : new UrlRecord(name === 'sitemap');
    this.#record = { fields, depth: this.#elements.length };
    this.#recordText = '';
    if (this.#kind === 'unknown') this.#kind = name === 'sitemap' ? 'index' : 'sitemap';
  }

  #openField(name: string): void {
    this.#field = name;
    this.#fieldText = '';
    this.#collectsText = true;
  }

  #startsRecord(name: string): boolean {
    return this.#kind === 'feed' ? name === 'item' || name === 'entry' : name === 'url' || name === 'sitemap';
  }

  #setKind(name: string): void {
    if (FEED_ROOTS.has(name)) this.#kind = 'feed';
    else if (name === 'urlset') this.#kind = 'sitemap';
    else if (name === 'sitemapindex') this.#kind = 'index';
    else if (name === 'html' || name === 'head' || name === 'body') {
      this.#kind = 'page';
      this.#stopped = true;
    }
  }

  #onText(text: string): void {
    if (this.#collectsText && this.#fieldText.length < MAX_FIELD_CHARS) this.#fieldText += text;
    else if (this.#record?.depth === this.#elements.length && this.#recordText.length < MAX_FIELD_CHARS)
      this.#recordText += text;
  }

  #onCloseTag(): void {
    if (this.#stopped) return;
    this.#lastTagAt = this.#parser.position;
    const depth = this.#elements.length;
    const { name = '' } = this.#elements.pop() ?? {};
    if (this.#record === undefined) return;
    if (depth === this.#record.depth) this.#finishRecord();
    else if (this.#collectsText && name === this.#field) this.#record.fields.text(name, this.#fieldText.trim());
    this.#collectsText = false;
  }

  #finishRecord(): void {
    this.#record?.fields.text('', this.#recordText.trim());
    const needsMore = this.#record?.fields.finish(this.#sink) ?? true;
    this.#record = undefined;
    if (!needsMore) this.#stopped = true;
  }
}

function resolveBase(base: string, outer: string | undefined): string | undefined {
  if (outer === undefined) return base;
  return URL.parse(base, outer)?.href ?? URL.parse(base)?.href ?? base;
}
