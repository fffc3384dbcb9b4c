import { decodeHTML, decodeHTMLAttribute } from 'entities';
import { KEPT_ATTRIBUTES } from './kept-attributes.ts';
import type { Attributes } from './page-tree.ts';
import { endsName, isWhite, rawTextEnd } from './raw-text.ts';
import { ruleOf, type TagRule } from './tag-rules.ts';

/** Receives tokens in source order. */
export interface TokenSink {
  text(text: string): void;
  open(rule: TagRule, attributes: Attributes | undefined, selfClosed: boolean): void;
  close(rule: TagRule): void;
  /** Receives the content of a noscript element, which browsers that run scripts do not parse. */
  readonly noscript?: ((markup: string) => void) | undefined;
  /** Receives comments; undefined: they are skipped. */
  readonly comment?: ((text: string) => void) | undefined;
  /** True inside svg and math, where no element has raw text content. */
  readonly isForeign: boolean;
  /** True where a CDATA section is text: https://html.spec.whatwg.org/multipage/parsing.html#markup-declaration-open-state */
  readonly allowsCdata: boolean;
}

const [EXCLAMATION, DOUBLE_QUOTE, SINGLE_QUOTE, DASH, SLASH, EQUALS, GREATER_THAN, QUESTION] = [
  33, 34, 39, 45, 47, 61, 62, 63,
];

const CDATA = '<![CDATA[';

const isLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;

/**
 * Splits a page into texts, tags and comments after https://html.spec.whatwg.org/multipage/parsing.html#tokenization. Skips
 * declarations. Uses `indexOf` to jump between markup characters instead of reading every character, which
 * halves the cost of a parse. Reads each part once, so the time stays linear even when tags or comments are left open.
 */
export class HtmlScanner {
  readonly #html: string;
  readonly #sink: TokenSink;
  readonly #keepsAllAttributes: boolean;
  readonly #unknown = new Map<string, TagRule>();
  #at = 0;
  /** Cached position of the next `--!>`, which is rare in pages. */
  #bangCommentEnd = -1;
  #attributes: Record<string, string> | undefined;
  #isSelfClosed = false;

  constructor(html: string, sink: TokenSink, keepsAllAttributes: boolean) {
    this.#html = html;
    this.#sink = sink;
    this.#keepsAllAttributes = keepsAllAttributes;
  }

  scan(): void {
    const html = this.#html;
    let from = 0;
    while (this.#at < html.length) {
      const mark = html.indexOf('<', this.#at);
      if (mark === -1) break;
      const code = html.charCodeAt(mark + 1);
      this.#at = mark + 1;
      // A `<` at the very end, or one that starts no tag, is text.
      if (!startsMarkup(code) || mark + (code === SLASH ? 2 : 1) >= html.length) continue;
      if (mark > from) this.#text(from, mark);
      this.#markup(code);
      from = this.#at;
    }
    if (from < html.length) this.#text(from, html.length);
  }

  /** Reads a tag, a comment or a declaration by the character after its `<`. */
  #markup(code: number): void {
    if (isLetter(code)) this.#open();
    else if (code === SLASH) this.#close();
    else this.#skip(code);
  }

  #text(from: number, to: number): void {
    const text = this.#html.slice(from, to);
    this.#sink.text(text.includes('&') ? decodeHTML(text) : text);
  }

  /** Skips comments, declarations and bogus comments. */
  #skip(code: number): void {
    if (code === EXCLAMATION && this.#html.startsWith('--', this.#at + 1)) this.#comment(this.#at + 3);
    else if (code === EXCLAMATION && this.#html.startsWith(CDATA, this.#at - 1) && this.#sink.allowsCdata)
      this.#cdata();
    else this.#skipTo(this.#at + 1);
  }

  #skipTo(from: number): void {
    const end = this.#html.indexOf('>', from);
    this.#at = end === -1 ? this.#html.length : end + 1;
  }

  #cdata(): void {
    const from = this.#at + CDATA.length - 1;
    const end = this.#html.indexOf(']]>', from);
    const text = this.#html.slice(from, end === -1 ? this.#html.length : end);
    if (text !== '') this.#sink.text(text);
    this.#at = end === -1 ? this.#html.length : end + 3;
  }

  #comment(from: number): void {
    const html = this.#html;
    if (html.charCodeAt(from) === GREATER_THAN) this.#at = from + 1;
    else if (html.charCodeAt(from) === DASH && html.charCodeAt(from + 1) === GREATER_THAN) this.#at = from + 2;
    else {
      if (this.#bangCommentEnd < from) this.#bangCommentEnd = orInfinity(html.indexOf('--!>', from));
      const end = orInfinity(html.indexOf('-->', from));
      this.#sink.comment?.(html.slice(from, Math.min(this.#bangCommentEnd, end)));
      this.#at = Math.min(html.length, this.#bangCommentEnd < end ? this.#bangCommentEnd + 4 : end + 3);
    }
  }

  #close(): void {
    const from = this.#at + 1;
    const code = this.#html.charCodeAt(from);
    if (!isLetter(code)) {
      this.#skipTo(from);
      return;
    }
    const end = this.#nameEnd(from);
    // Attributes of an end tag are read and dropped.
    const close = this.#html.charCodeAt(end) === GREATER_THAN ? end : this.#readAttributes(end);
    this.#at = close === -1 ? this.#html.length : close + 1;
    if (close !== -1) this.#sink.close(this.#rule(from, end));
  }

  #open(): void {
    const end = this.#nameEnd(this.#at);
    const rule = this.#rule(this.#at, end);
    this.#attributes = undefined;
    const close = this.#readAttributes(end);
    if (close === -1) {
      // A start tag cut off by the end of the page is dropped.
      this.#at = this.#html.length;
      return;
    }
    const isForeign = this.#sink.isForeign;
    this.#at = close + 1;
    this.#sink.open(rule, this.#attributes, this.#isSelfClosed);
    if (rule.contentModel === 'normal' || isForeign) return;
    if (rule.contentModel !== 'noscript' || this.#sink.noscript) this.#readRawText(rule);
  }

  /** Reads to the end of a start tag. Returns -1 if the tag has no end. */
  #readAttributes(from: number): number {
    const html = this.#html;
    let at = from;
    for (;;) {
      let code = html.charCodeAt(at);
      let slashed = false;
      while (isWhite(code) || code === SLASH) {
        slashed = code === SLASH;
        code = html.charCodeAt(++at);
      }
      if (at >= html.length) return -1;
      this.#isSelfClosed = slashed;
      if (code === GREATER_THAN) return at;
      at = this.#readAttribute(at);
      if (at === -1) return -1;
    }
  }

  /** Reads a name and its value. Returns their end, or -1 if the tag has no end. */
  #readAttribute(name: number): number {
    const html = this.#html;
    let at = name + 1;
    let code = html.charCodeAt(at);
    while (at < html.length && code !== EQUALS && !endsName(code)) code = html.charCodeAt(++at);
    const nameEnd = at;
    while (isWhite(code)) code = html.charCodeAt(++at);
    if (at >= html.length) return -1;
    if (code === EQUALS) return this.#value(name, nameEnd, at + 1);
    this.#attribute(name, nameEnd, at, at);
    return at;
  }

  /** Reads the value after an equals sign and returns its end position, or -1 if a quote is not closed. */
  #value(name: number, nameEnd: number, from: number): number {
    const html = this.#html;
    let at = from;
    let code = html.charCodeAt(at);
    while (isWhite(code)) code = html.charCodeAt(++at);
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      const end = html.indexOf(code === DOUBLE_QUOTE ? '"' : "'", at + 1);
      if (end === -1) return -1;
      this.#attribute(name, nameEnd, at + 1, end);
      return end + 1;
    }
    const start = at;
    while (at < html.length && code !== GREATER_THAN && !isWhite(code)) code = html.charCodeAt(++at);
    this.#attribute(name, nameEnd, start, at);
    return at;
  }

  #attribute(name: number, nameEnd: number, from: number, to: number): void {
    const written = this.#html.slice(name, nameEnd);
    const kept = KEPT_ATTRIBUTES.get(written) ?? this.#foldedName(written);
    if (kept === undefined) return;
    this.#attributes ??= {};
    // The first of two equal attributes wins: https://html.spec.whatwg.org/multipage/parsing.html#attribute-name-state
    if (this.#attributes[kept] !== undefined && Object.hasOwn(this.#attributes, kept)) return;
    const value = this.#html.slice(from, to);
    this.#attributes[kept] = value.includes('&') ? decodeHTMLAttribute(value) : value;
  }

  #foldedName(written: string): string | undefined {
    const lower = written.toLowerCase();
    return this.#keepsAllAttributes ? lower : KEPT_ATTRIBUTES.get(lower);
  }

  #nameEnd(from: number): number {
    let at = from;
    while (at < this.#html.length && !endsName(this.#html.charCodeAt(at))) at++;
    return at;
  }

  #rule(from: number, to: number): TagRule {
    const written = this.#html.slice(from, to);
    return ruleOf(written) ?? this.#foldedRule(written.toLowerCase());
  }

  #foldedRule(name: string): TagRule {
    const known = ruleOf(name) ?? this.#unknown.get(name);
    if (known) return known;
    const rule = ruleOf(name, this.#unknown.size);
    this.#unknown.set(name, rule);
    return rule;
  }

  /**
   * Reads raw text up to the element's own end tag: https://html.spec.whatwg.org/multipage/parsing.html#rawtext-state
   */
  #readRawText(rule: TagRule): void {
    const html = this.#html;
    const from = this.#at;
    const end = rule.contentModel === 'plaintext' ? -1 : rawTextEnd(html, rule, from);
    const to = end === -1 ? html.length : end;
    if (to > from && rule.contentModel === 'escapable raw text') this.#text(from, to);
    else if (to > from && rule.contentModel === 'noscript') this.#sink.noscript?.(html.slice(from, to));
    else if (to > from && rule.contentModel === 'script') this.#sink.text(html.slice(from, to).replaceAll(CDATA, ''));
    else if (to > from) this.#sink.text(html.slice(from, to));
    if (end !== -1) this.#sink.close(rule);
    if (end === -1) this.#at = to;
    else this.#skipTo(end + 2 + rule.name.length);
  }
}

const startsMarkup = (code: number): boolean =>
  isLetter(code) || code === SLASH || code === EXCLAMATION || code === QUESTION;

const orInfinity = (found: number): number => (found === -1 ? Number.POSITIVE_INFINITY : found);
