/** Writes blocks of markdown under nested prefixes (quotes, list items), each line once. */
export class MarkdownWriter {
  #out = '';
  #prefixes: string[] = [''];
  /** Marker of the list item being opened: written once, before its first line. */
  #marker: string | undefined;
  #depthSinceLast = 0;
  #tight = false;

  /** Deeper nesting is flattened, so that indentation cannot make the output quadratic. */
  static readonly nestingCap = 24;

  get depth(): number {
    return this.#prefixes.length - 1;
  }

  /** Opens a quote or an item: `marker` starts its first line, `rest` the following ones. */
  open(marker: string, rest: string): void {
    this.#settleMarker();
    this.#prefixes.push(this.#prefix() + rest);
    this.#marker = marker;
  }

  /** Closes it; an item nothing was written into leaves no trace. */
  close(): void {
    this.#prefixes.pop();
    this.#marker = undefined;
    this.#depthSinceLast = Math.min(this.#depthSinceLast, this.depth);
  }

  /** The next block follows without a blank line, as in a tight list. */
  tight(): void {
    this.#tight = true;
  }

  /** Writes one block, apart from the one before by a blank line. */
  block(text: string): void {
    if (text === '') return;
    const before = this.#prefixes[Math.min(this.#depthSinceLast, this.depth)] ?? '';
    if (this.#out !== '') this.#out += this.#tight ? '\n' : `\n${before.trimEnd()}\n`;
    const prefix = this.#prefix();
    const first = this.#marker === undefined ? prefix : (this.#prefixes[this.depth - 1] ?? '') + this.#marker;
    this.#out += first + (text.includes('\n') ? this.#indented(text, prefix) : text);
    this.#marker = undefined;
    this.#tight = false;
    this.#depthSinceLast = this.depth;
  }

  toString(): string {
    return this.#out;
  }

  #prefix(): string {
    return this.#prefixes[this.depth] ?? '';
  }

  #indented(text: string, prefix: string): string {
    const bare = prefix.trimEnd();
    return text
      .split('\n')
      .map((line, at) => (at === 0 ? line : line === '' ? bare : prefix + line))
      .join('\n');
  }

  /** An item whose first child is itself an item: both markers go on one line. */
  #settleMarker(): void {
    if (this.#marker === undefined) return;
    const own = this.#prefixes[this.depth - 1] ?? '';
    if (this.#out !== '') this.#out += this.#tight ? '\n' : `\n${own.trimEnd()}\n`;
    this.#out += own + this.#marker.trimEnd();
    this.#marker = undefined;
    this.#tight = true;
    this.#depthSinceLast = this.depth;
  }
}
