import type { Transform } from 'node:stream';
import {
  type Coding,
  type DecodedBody,
  decodeAtOnce,
  decodedLimit,
  isCutShort,
  openDecoder,
  toBodyError,
} from './decode-body.ts';
import { BodyTooLarge } from './errors.ts';

/** Up to here a body is kept and decoded in one call, several times cheaper than a stream; past it, as it arrives. */
const AT_ONCE_WIRE_BYTES = 256 * 1024;
/** One synchronous call may produce no more than this, so that a bomb holds the thread for milliseconds only. */
const AT_ONCE_DECODED_BYTES = 4 * 1024 * 1024;

export interface SinkEvents {
  /** The decoder has room again after `write` answered false. */
  readonly onDrain: () => void;
  /** The body cannot be used; nothing more should be written. */
  readonly onError: (error: Error) => void;
}

/** Takes the bytes of one response body off the wire and gives the decoded body at the end, never more than the cap. */
export class BodySink {
  readonly #codings: readonly Coding[];
  readonly #maxBodyBytes: number;
  readonly #events: SinkEvents;
  #chunks: Buffer[] = [];
  #chain: DecoderChain | undefined;
  bytesOnWire = 0;

  constructor(codings: readonly Coding[], maxBodyBytes: number, events: SinkEvents) {
    this.#codings = codings;
    this.#maxBodyBytes = maxBodyBytes;
    this.#events = events;
  }

  /** Answers false when the caller should wait for `onDrain`. Throws BodyTooLarge. */
  write(chunk: Buffer): boolean {
    this.bytesOnWire += chunk.length;
    // The wire has the cap of the body: deflate can carry endless empty blocks that decode to nothing.
    if (this.bytesOnWire > this.#maxBodyBytes) throw new BodyTooLarge();
    if (this.#chain !== undefined) return this.#chain.write(chunk, this.bytesOnWire);
    this.#chunks.push(chunk);
    const isLong = this.#codings.length > 0 && this.bytesOnWire > AT_ONCE_WIRE_BYTES;
    return isLong ? this.#startChain() : true;
  }

  /** The wire has ended as HTTP says it should. */
  async end(): Promise<DecodedBody> {
    if (this.#chain !== undefined) return this.#chain.end();
    const [only] = this.#chunks;
    const wire = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    const limit = decodedLimit(this.bytesOnWire, this.#maxBodyBytes);
    if (this.#codings.length === 0) return { body: wire, truncated: false };
    try {
      return decodeAtOnce(wire, this.#codings, Math.min(limit, AT_ONCE_DECODED_BYTES));
    } catch (error) {
      if (!(error instanceof BodyTooLarge) || limit <= AT_ONCE_DECODED_BYTES) throw error;
    }
    this.#startChain();
    return (this.#chain ?? this.#openChain()).end();
  }

  /** Frees the decoders of a body nobody waits for any more. */
  destroy(): void {
    this.#chain?.destroy();
    this.#chunks = [];
  }

  #startChain(): boolean {
    this.#chain = this.#openChain();
    const kept = this.#chunks;
    this.#chunks = [];
    return kept.map((chunk) => this.#chain?.write(chunk, this.bytesOnWire) ?? true).every((hasRoom) => hasRoom);
  }

  #openChain(): DecoderChain {
    return new DecoderChain(this.#codings, this.#maxBodyBytes, this.#events);
  }
}

/** Streaming decoders in a row, the outermost coding first. Each layer is held to the cap, not only the last. */
class DecoderChain {
  readonly #codings: readonly Coding[];
  readonly #maxBodyBytes: number;
  readonly #events: SinkEvents;
  readonly #layers: (Transform | undefined)[];
  readonly #decodedBytes: number[];
  readonly #body: Buffer[] = [];
  readonly #finished = Promise.withResolvers<DecodedBody>();
  #bytesOnWire = 0;
  #truncated = false;
  #isOver = false;

  constructor(codings: readonly Coding[], maxBodyBytes: number, events: SinkEvents) {
    this.#codings = codings;
    this.#maxBodyBytes = maxBodyBytes;
    this.#events = events;
    this.#layers = codings.map(() => undefined);
    this.#decodedBytes = codings.map(() => 0);
    // A failure before `end` is reported through onError; without this it would also be an unhandled rejection.
    this.#finished.promise.catch(() => {});
  }

  write(chunk: Buffer, bytesOnWire: number): boolean {
    this.#bytesOnWire = bytesOnWire;
    return this.#feed(0, chunk);
  }

  end(): Promise<DecodedBody> {
    this.#endLayer(0);
    return this.#finished.promise;
  }

  destroy(): void {
    this.#isOver = true;
    for (const layer of this.#layers) layer?.destroy();
  }

  #feed(index: number, chunk: Buffer): boolean {
    if (this.#isOver) return true;
    const coding = this.#codings[index];
    if (coding === undefined) {
      this.#body.push(chunk);
      return true;
    }
    const layer = this.#layers[index] ?? this.#openLayer(index, coding, chunk);
    return layer.write(chunk);
  }

  #openLayer(index: number, coding: Coding, first: Buffer): Transform {
    const layer = openDecoder(coding, first);
    this.#layers[index] = layer;
    layer.on('data', (decoded: Buffer) => this.#onDecoded(index, decoded));
    layer.once('end', () => this.#endLayer(index + 1));
    layer.once('error', (error) => {
      if (!isCutShort(error)) return this.#fail(toBodyError(error));
      this.#truncated = true;
      this.#endLayer(index + 1);
    });
    if (index === 0) layer.on('drain', this.#events.onDrain);
    return layer;
  }

  #onDecoded(index: number, decoded: Buffer): void {
    const total = (this.#decodedBytes[index] ?? 0) + decoded.length;
    this.#decodedBytes[index] = total;
    if (total > decodedLimit(this.#bytesOnWire, this.#maxBodyBytes)) this.#fail(new BodyTooLarge());
    else this.#feed(index + 1, decoded);
  }

  #endLayer(index: number): void {
    if (this.#isOver) return;
    const layer = this.#layers[index];
    if (layer !== undefined) layer.end();
    else this.#finished.resolve({ body: Buffer.concat(this.#body), truncated: this.#truncated });
  }

  #fail(error: Error): void {
    if (this.#isOver) return;
    this.destroy();
    this.#finished.reject(error);
    this.#events.onError(error);
  }
}
