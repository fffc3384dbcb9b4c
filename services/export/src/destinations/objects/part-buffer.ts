const FIRST_BYTES = 256 * 1024;

/**
 * Holds the encoded bytes of one part after another. A buffer of its own per part, joined from its chunks, would need twice the memory until
 * V8 collects it.
 */
export class PartBuffer {
  #bytes = new Uint8Array(FIRST_BYTES);
  #length = 0;

  append(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#bytes.length) this.#extend(length);
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }

  /** Returns the bytes appended since the last call, and begins the next part: the bytes are valid until its first chunk is appended. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.buffer, 0, this.#length);
    this.#length = 0;
    return taken;
  }

  #extend(length: number): void {
    const before = this.#bytes;
    // The unused end of a new buffer takes no memory: its pages are not touched.
    this.#bytes = new Uint8Array(Math.max(length, before.length * 2));
    this.#bytes.set(before.subarray(0, this.#length));
  }
}
