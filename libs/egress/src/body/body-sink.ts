import type { Transform } from 'node:stream';
import { BodyTooLarge } from '../errors/errors.ts';
import {
  type Coding,
  type DecodedBody,
  decodedLimit,
  decodeSync,
  isTruncation,
  openDecoder,
  toBodyError,
} from './decode-body.ts';

/** Compressed bytes up to which a body is buffered and decoded in one call, several times cheaper than a stream. */
const SYNC_WIRE_BYTES = 256 * 1024;
/** Output limit of one synchronous call, so that a decompression bomb blocks the thread for milliseconds only. */
const SYNC_DECODED_BYTES = 4 * 1024 * 1024;

export interface SinkEvents {
  /** Called when the decoder accepts data again after `write` returned false. */
  readonly onDrain: () => void;
  /** Called when the body is unusable; the caller must stop writing. */
  readonly onError: (error: Error) => void;
}

/** Collects the wire bytes of one response body and returns the decoded body at the end, within the size limit. */
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

  /** @returns false if the caller must wait for `onDrain` @throws BodyTooLarge */
  write(chunk: Buffer): boolean {
    this.bytesOnWire += chunk.length;
    // The limit holds for wire bytes too: a deflate stream may consist of empty blocks that decode to nothing.
    if (this.bytesOnWire > this.#maxBodyBytes) throw new BodyTooLarge();
    if (this.#chain !== undefined) return this.#chain.write(chunk, this.bytesOnWire);
    this.#chunks.push(chunk);
    const isLong = this.#codings.length > 0 && this.bytesOnWire > SYNC_WIRE_BYTES;
    return isLong ? this.#startChain() : true;
  }

  /** Returns the decoded body. Call after the message has ended by the rules of HTTP. */
  async end(): Promise<DecodedBody> {
    if (this.#chain !== undefined) return this.#chain.end();
    const [only] = this.#chunks;
    const wire = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks);
    const limit = decodedLimit(this.bytesOnWire, this.#maxBodyBytes);
    if (this.#codings.length === 0) return { body: wire, truncated: false };
    try {
      return decodeSync(wire, this.#codings, Math.min(limit, SYNC_DECODED_BYTES));
    } catch (error) {
      if (!(error instanceof BodyTooLarge) || limit <= SYNC_DECODED_BYTES) throw error;
    }
    this.#startChain();
    return (this.#chain ?? this.#openChain()).end();
  }

  /** Frees the decoders of an abandoned body. */
  destroy(): void {
    this.#chain?.destroy();
    this.#chunks = [];
  }

  #startChain(): boolean {
    this.#chain = this.#openChain();
    const buffered = this.#chunks;
    this.#chunks = [];
    return buffered.map((chunk) => this.#chain?.write(chunk, this.bytesOnWire) ?? true).every((hasRoom) => hasRoom);
  }

  #openChain(): DecoderChain {
    return new DecoderChain(this.#codings, this.#maxBodyBytes, this.#events);
  }
}

/** A chain of streaming decoders, outermost coding first. The size limit holds for the output of each layer. */
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
  #isDone = false;

  constructor(codings: readonly Coding[], maxBodyBytes: number, events: SinkEvents) {
    this.#codings = codings;
    this.#maxBodyBytes = maxBodyBytes;
    this.#events = events;
    this.#layers = codings.map(() => undefined);
    this.#decodedBytes = codings.map(() => 0);
    // A failure before `end` is reported through onError and would otherwise also be an unhandled rejection.
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
    this.#isDone = true;
    for (const layer of this.#layers) layer?.destroy();
  }

  #feed(index: number, chunk: Buffer): boolean {
    if (this.#isDone) return true;
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
      if (!isTruncation(error)) return this.#fail(toBodyError(error));
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
    if (this.#isDone) return;
    const layer = this.#layers[index];
    if (layer !== undefined) layer.end();
    else this.#finished.resolve({ body: Buffer.concat(this.#body), truncated: this.#truncated });
  }

  #fail(error: Error): void {
    if (this.#isDone) return;
    this.destroy();
    this.#finished.reject(error);
    this.#events.onError(error);
  }
}
