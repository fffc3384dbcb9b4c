/**
 * Builds one run of inline markdown. White space is held back until text follows, and delimiters until they enclose
 * text: `<b> a </b>b` becomes ` **a** b`, and an empty link or emphasis writes nothing.
 */
export class InlineLine {
  #text = '';
  #space = false;
  #breaks = 0;
  readonly #waiting: string[] = [];

  /** Adds text whose white space is already collapsed to single spaces. */
  add(text: string): void {
    if (text === '') return;
    if (text === ' ') {
      this.#space = true;
      return;
    }
    const leads = text.startsWith(' ');
    const trails = text.endsWith(' ');
    if (leads) this.#space = true;
    this.#gap();
    for (const delimiter of this.#waiting) this.#text += delimiter;
    this.#waiting.length = 0;
    this.#text += leads || trails ? text.trim() : text;
    this.#space = trails;
  }

  /** Adds a line break. Two in a row are a paragraph break. */
  break(): void {
    this.#breaks++;
  }

  space(): void {
    this.#space = true;
  }

  /** Encloses what `inner` adds. Writes nothing if `inner` adds nothing. */
  enclose(open: string, close: string, inner: () => void): void {
    this.#waiting.push(open);
    const depth = this.#waiting.length;
    inner();
    if (this.#waiting.length >= depth) this.#waiting.length = depth - 1;
    else this.#text += close;
  }

  get isEmpty(): boolean {
    return this.#text === '';
  }

  /** Returns the text so far and clears the line. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    this.#space = false;
    this.#breaks = 0;
    return text;
  }

  #gap(): void {
    if (this.#text !== '') {
      if (this.#breaks > 0) this.#text += this.#breaks > 1 ? '\n\n' : '  \n';
      else if (this.#space) this.#text += ' ';
    }
    this.#space = false;
    this.#breaks = 0;
  }
}
