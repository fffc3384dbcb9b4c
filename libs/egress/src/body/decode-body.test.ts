import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { failureOf } from '../../test/loopback-site.ts';
import { BodyTooLarge } from '../errors/errors.ts';
import { BodySink } from './body-sink.ts';
import { type Coding, codingsToDecode, decodedLimit } from './decode-body.ts';

const MIB = 1024 * 1024;
const ENCODERS: Readonly<Record<Coding, (data: Buffer) => Buffer>> = {
  gzip: (data) => gzipSync(data),
  deflate: (data) => deflateSync(data),
  br: (data) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (data) => zstdCompressSync(data),
};
const CODINGS: readonly Coding[] = ['gzip', 'deflate', 'br', 'zstd'];

/** Text that compresses about four to one, as a page does. */
function page(bytes: number): Buffer {
  let text = '';
  for (let seed = 7; text.length < bytes; seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 1)
    text += `<p>${seed}</p>
`;
  return Buffer.from(text.slice(0, bytes));
}

/** Writes a body in chunks of 16 KiB with back-pressure, as a socket does, and ends it. */
async function sinkAll(wire: Buffer, codings: readonly Coding[], maxBodyBytes = 20 * MIB) {
  let onDrain = () => {};
  let failed: Error | undefined;
  const sink = new BodySink(codings, maxBodyBytes, {
    onDrain: () => onDrain(),
    onError: (error) => {
      failed = error;
      onDrain();
    },
  });
  for (let at = 0; at < wire.length; at += 16_384) {
    if (failed !== undefined) throw failed;
    const drained = new Promise<void>((resolve) => {
      onDrain = resolve;
    });
    if (!sink.write(wire.subarray(at, at + 16_384))) await drained;
  }
  return sink.end();
}

describe('BodySink with content codings', () => {
  it('decodes codings in reverse order of the header and leaves a body with an unknown coding as it is', () => {
    expect(codingsToDecode('gzip, br')).toEqual(['br', 'gzip']);
    expect(codingsToDecode(' X-GZIP ,identity,')).toEqual(['gzip']);
    expect(codingsToDecode('utf-8')).toEqual([]);
    expect(codingsToDecode('constructor')).toEqual([]);
    expect(codingsToDecode(undefined)).toEqual([]);
  });

  it('rejects more than three layers of codings', () => {
    expect(() => codingsToDecode('gzip, gzip, br, gzip')).toThrow('too many layers');
  });

  it.each([0, 1, 41 * 1024, 3 * MIB, 5 * MIB])('decodes a body of %d bytes from every coding', async (bytes) => {
    const body = page(bytes);
    for (const coding of CODINGS) {
      const decoded = await sinkAll(ENCODERS[coding](body), [coding]);
      expect([coding, decoded.truncated, decoded.body.equals(body)]).toEqual([coding, false, true]);
    }
    expect((await sinkAll(body, [])).body.equals(body)).toBe(true);
  });

  it('distinguishes raw from zlib-wrapped deflate, decoded synchronously or as a stream', async () => {
    for (const bytes of [5_000, 5 * MIB]) {
      const body = page(bytes);
      expect((await sinkAll(deflateRawSync(body), ['deflate'])).body.equals(body)).toBe(true);
    }
  });

  it('decodes three nested codings of short and long bodies', async () => {
    for (const bytes of [5_000, 6 * MIB]) {
      const body = page(bytes);
      const wire = gzipSync(ENCODERS.br(deflateRawSync(body)));
      expect((await sinkAll(wire, codingsToDecode('deflate, br, gzip'))).body.equals(body)).toBe(true);
    }
  });

  it('returns an empty body for an empty body with a coding', async () => {
    expect(await sinkAll(Buffer.alloc(0), ['gzip', 'br'])).toEqual({ body: Buffer.alloc(0), truncated: false });
  });

  it('ignores bytes after the end of a gzip body', async () => {
    const wire = Buffer.concat([gzipSync(page(9_000)), Buffer.from('trailing junk')]);
    expect((await sinkAll(wire, ['gzip'])).body.equals(page(9_000))).toBe(true);
  });

  it.each(CODINGS)('fails with kind protocol for a %s body that is not in this coding', async (coding) => {
    const failure = await failureOf(sinkAll(Buffer.alloc(3_000, 'plain text '), [coding]));
    expect(failure).toMatchObject({ kind: 'protocol' });
    const long = await failureOf(sinkAll(Buffer.alloc(MIB, 'plain text '), [coding]));
    expect(long).toMatchObject({ kind: 'protocol' });
  });
});

describe('BodySink with truncated bodies', () => {
  it.each(CODINGS)('returns the decodable part of a truncated %s body and reports the truncation', async (coding) => {
    for (const bytes of [300_000, 4 * MIB]) {
      const body = page(bytes);
      const wire = ENCODERS[coding](body);
      const cut = await sinkAll(wire.subarray(0, Math.floor(wire.length * 0.7)), [coding]);
      expect(cut.truncated).toBe(true);
      expect(cut.body.length).toBeGreaterThan(bytes / 3);
      expect(body.subarray(0, cut.body.length).equals(cut.body)).toBe(true);
    }
  });

  it.each<[string, (body: Buffer) => Buffer, readonly Coding[]]>([
    ['raw deflate', deflateRawSync, ['deflate']],
    ['gzip in brotli', (body) => ENCODERS.br(ENCODERS.gzip(body)), ['br', 'gzip']],
    ['zstd in gzip', (body) => ENCODERS.gzip(ENCODERS.zstd(body)), ['gzip', 'zstd']],
    ['deflate in zstd', (body) => ENCODERS.zstd(ENCODERS.deflate(body)), ['zstd', 'deflate']],
  ])('returns a prefix of truncated %s and reports the truncation', async (_title, encode, codings) => {
    for (const bytes of [300_000, 4 * MIB]) {
      const body = page(bytes);
      const wire = encode(body);
      const cut = await sinkAll(wire.subarray(0, Math.floor(wire.length * 0.7)), codings);
      expect(cut.truncated).toBe(true);
      expect(cut.body.length).toBeGreaterThan(0);
      expect(body.subarray(0, cut.body.length).equals(cut.body)).toBe(true);
    }
  });
});

describe('BodySink limits', () => {
  it('accepts an uncompressed body at the limit and rejects it one byte above', async () => {
    expect((await sinkAll(Buffer.alloc(1_000), [], 1_000)).body.length).toBe(1_000);
    expect(await failureOf(sinkAll(Buffer.alloc(1_001), [], 1_000))).toBeInstanceOf(BodyTooLarge);
  });

  it.each(CODINGS)('rejects short and long %s bombs', async (coding) => {
    for (const bytes of [2 * MIB, 24 * MIB]) {
      const wire = ENCODERS[coding](Buffer.alloc(bytes));
      expect(await failureOf(sinkAll(wire, [coding]))).toBeInstanceOf(BodyTooLarge);
    }
  });

  it('rejects a nested bomb whose outer layer is small', async () => {
    const wire = gzipSync(gzipSync(ENCODERS.br(Buffer.alloc(32 * MIB))));
    expect(await failureOf(sinkAll(wire, codingsToDecode('br, gzip, gzip')))).toBeInstanceOf(BodyTooLarge);
  });

  it('rejects a decoded body above the limit at a low compression ratio', async () => {
    for (const bytes of [600_000, 6 * MIB]) {
      const failure = failureOf(sinkAll(gzipSync(page(bytes)), ['gzip'], bytes - 1));
      expect(await failure).toBeInstanceOf(BodyTooLarge);
    }
  });

  it('limits the expansion ratio only above one decoded megabyte', () => {
    expect(decodedLimit(10, 20 * MIB)).toBe(MIB);
    expect(decodedLimit(20_000, 20 * MIB)).toBe(2_000_000);
    expect(decodedLimit(MIB, 20 * MIB)).toBe(20 * MIB);
  });

  it('counts blocks that decode to nothing against the limit on arrival', async () => {
    const stored = Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]);
    const wire = Buffer.concat([Buffer.from([0x78, 0x9c]), ...new Array<Buffer>(100_000).fill(stored)]);
    expect(await failureOf(sinkAll(wire, ['deflate'], 400_000))).toBeInstanceOf(BodyTooLarge);
  });
});
