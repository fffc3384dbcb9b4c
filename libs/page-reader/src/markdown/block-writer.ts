/** Writes blocks of markdown under nested prefixes (quotes, list items), each line once. */
export class BlockWriter {
  #out = '';
  #prefixes: string[] = [''];
  /** Marker of the open list item, written before its first line. */
  #marker: string | undefined;
  #depthSinceLast = 0;
  #tight = false;

  /** Deeper levels are flattened, because indentation would make the output quadratic. */
  static readonly nestingCap = 24;

  get depth(): number {
    return this.#prefixes.length - 1;
  }

  /** Opens a quote or list item: `marker` starts its first line, `rest` the following ones. */
  open(marker: string, rest: string): void {
    this.#writePendingMarker();
    this.#prefixes.push(this.#prefix() + rest);
    this.#marker = marker;
  }

  /** Closes the quote or list item. An empty one leaves no output. */
  close(): void {
    this.#prefixes.pop();
    this.#marker = undefined;
    this.#depthSinceLast = Math.min(this.#depthSinceLast, this.depth);
  }

  /** Omits the blank line before the next block, as in a tight list. */
  tight(): void {
    this.#tight = true;
  }

  /** Writes one block, separated from the previous one by a blank line. */
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

  /** Writes the pending marker of an item whose first child is another item: both are written on one line. */
  #writePendingMarker(): void {
    if (this.#marker === undefined) return;
    const own = this.#prefixes[this.depth - 1] ?? '';
    if (this.#out !== '') this.#out += this.#tight ? '\n' : `\n${own.trimEnd()}\n`;
    this.#out += own + this.#marker.trimEnd();
    this.#marker = undefined;
    this.#tight = true;
    this.#depthSinceLast = this.depth;
  }
}
