/** Characters held back at the end of a chunk. Must exceed the length of a reference and of a CDATA delimiter, so that none is split. */
const LOOKAHEAD_CHARS = 12;
const TOKENS = /&|<!\[CDATA\[|\]\]>/g;
const REFERENCE = /&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos);/iy;

/**
 * Escapes ampersands that do not start a character reference or one of XML's five entities. Unescaped ampersands are common in URLs, and
 * an XML parser would read the text up to the next semicolon as an entity name. CDATA sections are left unchanged.
 */
export class AmpersandEscaper {
  /** Character offset of the first escaped ampersand; undefined if there is none. */
  firstAt: number | undefined;
  #pending = '';
  #offset = 0;
  #inCdata = false;

  /** Returns the escaped text except for the last characters, which the next call returns. */
  escape(text: string): string {
    const whole = this.#pending + text;
    const upTo = Math.max(0, whole.length - LOOKAHEAD_CHARS);
    const { escaped, end } = this.#scan(whole, upTo);
    this.#pending = whole.slice(end);
    this.#offset += end;
    return escaped;
  }

  /** Returns the escaped rest of the text. */
  end(): string {
    const { escaped } = this.#scan(this.#pending, this.#pending.length);
    this.#pending = '';
    return escaped;
  }

  /** Processes the tokens that start before `upTo`. `end`: the end of the processed text, which includes the last token. */
  #scan(text: string, upTo: number): { escaped: string; end: number } {
    let escaped = '';
    let from = 0;
    let end = upTo;
    TOKENS.lastIndex = 0;
    for (let token = TOKENS.exec(text); token !== null && token.index < upTo; token = TOKENS.exec(text)) {
      const [matched] = token;
      end = Math.max(end, token.index + matched.length);
      if (matched !== '&') {
        this.#inCdata = matched !== ']]>';
        continue;
      }
      if (this.#inCdata) continue;
      REFERENCE.lastIndex = token.index;
      if (REFERENCE.test(text)) continue;
      this.firstAt ??= this.#offset + token.index;
      escaped += `${text.slice(from, token.index)}&amp;`;
      from = token.index + 1;
    }
    return { escaped: escaped + text.slice(from, end), end };
  }
}
