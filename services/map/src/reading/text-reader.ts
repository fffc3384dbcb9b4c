import type { Reader, ReadOutcome, Sink } from './sink.ts';

const MAX_LINE = 8_192;
/** This many lines that are no addresses, before the first one that is: no list of addresses. */
const PATIENCE = 200;

/** A list of addresses, one a line. https://www.sitemaps.org/protocol.html#otherformats */
export class TextReader implements Reader {
  readonly #sink: Sink;
  #rest = '';
  #found = 0;
  #odd = 0;

  constructor(sink: Sink) {
    this.#sink = sink;
  }

  write(text: string): boolean {
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    this.#rest = (lines.pop() ?? '').slice(0, MAX_LINE);
    for (const line of lines) if (!this.#line(line)) return false;
    return this.#found > 0 || this.#odd < PATIENCE;
  }

  #line(line: string): boolean {
    const loc = line.trim();
    if (loc === '') return true;
    if (!/^https?:\/\//i.test(loc) || loc.length > MAX_LINE) {
      this.#odd += 1;
      return true;
    }
    this.#found += 1;
    return this.#sink.entry(loc, '', '');
  }

  end(): ReadOutcome {
    this.#line(this.#rest);
    if (this.#found === 0) return { kind: 'unknown', error: undefined };
    const error = this.#odd === 0 ? undefined : `${this.#odd} of its lines are no addresses and were left out`;
    return { kind: 'text', error };
  }
}
