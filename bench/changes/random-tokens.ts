import { createHash } from 'node:crypto';

/** Deterministic source of tokens as servers generate them. */
export class Tokens {
  readonly #seed: string;
  #count = 0;

  constructor(seed: string) {
    this.#seed = seed;
  }

  hex(chars: number): string {
    return this.#bytes(chars).toString('hex').slice(0, chars);
  }

  base64(chars: number): string {
    return this.#bytes(chars).toString('base64url').slice(0, chars);
  }

  uuid(): string {
    const hex = this.hex(32);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }

  /** Returns an integer from 0 to below `end`. */
  below(end: number): number {
    return this.#bytes(4).readUInt32BE() % end;
  }

  /** Returns a time of 2025 in epoch seconds. */
  epoch(): number {
    return 1_735_689_600 + this.below(31_000_000);
  }

  /** Returns words without a meaning. */
  words(count: number): string {
    return Array.from({ length: count }, () => this.hex(14).replace(/\d/g, '').padEnd(3, 'q')).join(' ');
  }

  shuffled<Item>(items: readonly Item[]): Item[] {
    return items
      .map((item) => ({ item, order: this.below(1_000_000) }))
      .sort((a, b) => a.order - b.order)
      .map(({ item }) => item);
  }

  #bytes(count: number): Buffer {
    this.#count += 1;
    const blocks = Array.from({ length: Math.ceil(count / 32) }, (_, at) =>
      createHash('sha256').update(`${this.#seed} ${this.#count} ${at}`).digest(),
    );
    return Buffer.concat(blocks);
  }
}
