import type { ParseResult, Parser, Sink } from './sink.ts';

const MAX_LINE = 8_192;
/** A file with this many other lines before its first URL is not a list of URLs. */
const MAX_LEADING_OTHER_LINES = 200;

/** Parses a list of URLs, one per line. https://www.sitemaps.org/protocol.html#otherformats */
export class TextParser implements Parser {
  readonly #sink: Sink;
  #partialLine = '';
  #urlLines = 0;
  #otherLines = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(text: string): boolean {
    const lines = (this.#partialLine + text).split(/\r\n|\r|\n/);
    this.#partialLine = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) if (!this.#line(line)) return false;
    return this.#urlLines > 0 || this.#otherLines < MAX_LEADING_OTHER_LINES;
  }

  #line(line: string): boolean {
    const loc = line.trim();
    if (loc === '') return true;
    if (!/^https?:\/\//i.test(loc) || loc.length > MAX_LINE) {
      this.#otherLines += 1;
      return true;
    }
    this.#urlLines += 1;
    return this.#sink.entry(loc, '', '');
  }

  end(): ParseResult {
    this.#line(this.#partialLine);
    if (this.#urlLines === 0) return { kind: 'unknown', error: undefined };
    const error = this.#otherLines === 0 ? undefined : `${this.#otherLines} lines are not URLs and were left out`;
    return { kind: 'text', error };
  }
}
