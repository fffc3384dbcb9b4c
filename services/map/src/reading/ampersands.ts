/** Longer than what a reference or the mark of a CDATA section takes: kept back, so that none is cut by the end of a chunk. */
const KEPT_BACK = 12;
const MARKS = /&|<!\[CDATA\[|\]\]>/g;
const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos);/iy;

/**
 * Escapes ampersands that begin no reference of XML's own: addresses are full of them, and a parser would take all up to the next
 * semicolon for a name. In CDATA they mean themselves.
 */
export class Ampersands {
  /** Characters into the text of the first that was escaped; undefined for none. */
  firstAt: number | undefined;
  #rest = '';
  #passed = 0;
  #inCdata = false;

  /** @returns the text as it may be parsed, but for its end, which comes with the next */
  mend(text: string): string {
    const whole = this.#rest + text;
    const upTo = Math.max(0, whole.length - KEPT_BACK);
    const { mended, end } = this.#scan(whole, upTo);
    this.#rest = whole.slice(end);
    this.#passed += end;
    return mended;
  }

  /** What was kept back. */
  end(): string {
    const { mended } = this.#scan(this.#rest, this.#rest.length);
    this.#rest = '';
    return mended;
  }

  /** Mends the marks that begin before `upTo`; a mark that reaches beyond it is taken whole. */
  #scan(text: string, upTo: number): { mended: string; end: number } {
    let mended = '';
    let from = 0;
    let end = upTo;
    MARKS.lastIndex = 0;
    for (let mark = MARKS.exec(text); mark !== null && mark.index < upTo; mark = MARKS.exec(text)) {
      const [what] = mark;
      end = Math.max(end, mark.index + what.length);
      if (what !== '&') {
        // A section’s end without its beginning is text.
        this.#inCdata = what !== ']]>';
        continue;
      }
      if (this.#inCdata) continue;
      REFERENCE.lastIndex = mark.index;
      if (REFERENCE.test(text)) continue;
      this.firstAt ??= this.#passed + mark.index;
      mended += `${text.slice(from, mark.index)}&amp;`;
      from = mark.index + 1;
    }
    return { mended: mended + text.slice(from, end), end };
  }
}
