import { decode } from 'jpeg-js';
import type { Picture } from './picture.ts';

/**
 * Maximum number of decoded pixels, and rows, per picture: two pictures are read, compared and drawn within the time
 * limit.
 */
export const MAX_PIXELS = 8_000_000;
export const MAX_HEIGHT = 12_000;
/** Memory limit of the decoder. */
const DECODER_MB = 384;

const FRAME_FIRST = 0xc0;
const FRAME_LAST = 0xc2;

interface Frame {
  readonly width: number;
  readonly height: number;
  /** Offset of the height in the file. */
  readonly heightAt: number;
}

/** Finds the start-of-frame segment (ITU T.81, B.2.2); undefined: none. */
function frameOf(bytes: Uint8Array): Frame | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker >= FRAME_FIRST && marker <= FRAME_LAST)
      return { height: view.getUint16(at + 5), width: view.getUint16(at + 7), heightAt: at + 5 };
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** Returns width and height without decoding; undefined: no JPEG. */
export function sizeOfJpeg(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  const frame = frameOf(bytes);
  return frame === undefined || frame.width === 0 || frame.height === 0
    ? undefined
    : { width: frame.width, height: frame.height };
}

/** Returns the maximum number of compared rows for a width. */
export const maxRows = (width: number): number => Math.min(MAX_HEIGHT, Math.floor(MAX_PIXELS / width));

/**
 * Decodes the first rows of a JPEG up to the limit. Lowers the height in the header of a taller one, so that the rest
 * is not decoded.
 * @throws Error if it cannot be decoded
 */
export function readJpeg(bytes: Uint8Array): Picture {
  const frame = frameOf(bytes);
  if (frame === undefined) throw new Error('not a JPEG');
  const rows = maxRows(frame.width);
  const read = frame.height > rows ? withHeight(bytes, frame, rows) : bytes;
  const { width, height, data } = decode(read, {
    useTArray: true,
    maxResolutionInMP: MAX_PIXELS / 1_000_000,
    maxMemoryUsageInMB: DECODER_MB,
  });
  return { width, height, data };
}

function withHeight(bytes: Uint8Array, { heightAt }: Frame, rows: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  new DataView(copy.buffer).setUint16(heightAt, rows);
  return copy;
}
