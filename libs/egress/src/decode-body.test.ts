import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { failureOf } from '../test/loopback-site.ts';
import { BodySink } from './body-sink.ts';
import { type Coding, codingsToUndo, decodedLimit } from './decode-body.ts';
import { BodyTooLarge } from './errors.ts';

const MIB = 1024 * 1024;
const ENCODERS: Readonly<Record<Coding, (data: Buffer) => Buffer>> = {
  gzip: (data) => gzipSync(data),
  deflate: (data) => deflateSync(data),
  br: (data) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  zstd: (data) => zstdCompressSync(data),
};
const CODINGS: readonly Coding[] = ['gzip', 'deflate', 'br', 'zstd'];

/** Text that compresses about four to one, like a page. */
function page(bytes: number): Buffer {
  let text = '';
  for (let seed = 7; text.length < bytes; seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 1)
    text += `<p>${seed}</p>
`;
  return Buffer.from(text.slice(0, bytes));
}

/** Feeds a body in pieces of 16 KiB as a socket would, heeding back-pressure, and ends it. */
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

describe('content codings', () => {
  it('are undone in reverse order of the header, and unknown ones leave the body alone', () => {
    expect(codingsToUndo('gzip, br')).toEqual(['br', 'gzip']);
    expect(codingsToUndo(' X-GZIP ,identity,')).toEqual(['gzip']);
    expect(codingsToUndo('utf-8')).toEqual([]);
    expect(codingsToUndo('constructor')).toEqual([]);
    expect(codingsToUndo(undefined)).toEqual([]);
  });

  it('past three layers are refused', () => {
    expect(() => codingsToUndo('gzip, gzip, br, gzip')).toThrow('too many layers');
  });

  it.each([0, 1, 41 * 1024, 3 * MIB, 5 * MIB])(
    'a body of %d bytes comes back equal from every coding',
    async (bytes) => {
      const body = page(bytes);
      for (const coding of CODINGS) {
        const decoded = await sinkAll(ENCODERS[coding](body), [coding]);
        expect([coding, decoded.truncated, decoded.body.equals(body)]).toEqual([coding, false, true]);
      }
      expect((await sinkAll(body, [])).body.equals(body)).toBe(true);
    },
  );

  it('raw deflate is told from zlib-wrapped, decoded at once or as a stream', async () => {
    for (const bytes of [5_000, 5 * MIB]) {
      const body = page(bytes);
      expect((await sinkAll(deflateRawSync(body), ['deflate'])).body.equals(body)).toBe(true);
    }
  });

  it('three nested codings are undone, short and long', async () => {
    for (const bytes of [5_000, 6 * MIB]) {
      const body = page(bytes);
      const wire = gzipSync(ENCODERS.br(deflateRawSync(body)));
      expect((await sinkAll(wire, codingsToUndo('deflate, br, gzip'))).body.equals(body)).toBe(true);
    }
  });

  it('an empty body with a coding is an empty body', async () => {
    expect(await sinkAll(Buffer.alloc(0), ['gzip', 'br'])).toEqual({ body: Buffer.alloc(0), truncated: false });
  });

  it('bytes after the end of a gzip body are ignored as browsers do', async () => {
    const wire = Buffer.concat([gzipSync(page(9_000)), Buffer.from('trailing junk')]);
    expect((await sinkAll(wire, ['gzip'])).body.equals(page(9_000))).toBe(true);
  });

  it.each(CODINGS)('a %s body that is something else is a protocol failure', async (coding) => {
    const failure = await failureOf(sinkAll(Buffer.alloc(3_000, 'plain text '), [coding]));
    expect(failure).toMatchObject({ kind: 'protocol' });
    const long = await failureOf(sinkAll(Buffer.alloc(MIB, 'plain text '), [coding]));
    expect(long).toMatchObject({ kind: 'protocol' });
  });
});

describe('truncated bodies', () => {
  it.each(CODINGS)('a %s body cut short gives what could be decoded and says so', async (coding) => {
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
  ])('%s cut short gives a true beginning and says so', async (_title, encode, codings) => {
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

describe('limits on a body', () => {
  it('an uncompressed body stops at the cap, one byte over and not at it', async () => {
    expect((await sinkAll(Buffer.alloc(1_000), [], 1_000)).body.length).toBe(1_000);
    expect(await failureOf(sinkAll(Buffer.alloc(1_001), [], 1_000))).toBeInstanceOf(BodyTooLarge);
  });

  it.each(CODINGS)('a %s bomb is stopped, short or long', async (coding) => {
    for (const bytes of [2 * MIB, 24 * MIB]) {
      const wire = ENCODERS[coding](Buffer.alloc(bytes));
      expect(await failureOf(sinkAll(wire, [coding]))).toBeInstanceOf(BodyTooLarge);
    }
  });

  it('a nested bomb is stopped although its outer layer looks harmless', async () => {
    const wire = gzipSync(gzipSync(ENCODERS.br(Buffer.alloc(32 * MIB))));
    expect(await failureOf(sinkAll(wire, codingsToUndo('br, gzip, gzip')))).toBeInstanceOf(BodyTooLarge);
  });

  it('a decoded body over the cap is refused even when it compresses modestly', async () => {
    for (const bytes of [600_000, 6 * MIB]) {
      const failure = failureOf(sinkAll(gzipSync(page(bytes)), ['gzip'], bytes - 1));
      expect(await failure).toBeInstanceOf(BodyTooLarge);
    }
  });

  it('growth is judged past one decoded megabyte only', () => {
    expect(decodedLimit(10, 20 * MIB)).toBe(MIB);
    expect(decodedLimit(20_000, 20 * MIB)).toBe(2_000_000);
    expect(decodedLimit(MIB, 20 * MIB)).toBe(20 * MIB);
  });

  it('blocks that decode to nothing count against the cap as they arrive', async () => {
    const stored = Buffer.from([0x00, 0x00, 0x00, 0xff, 0xff]);
    const wire = Buffer.concat([Buffer.from([0x78, 0x9c]), ...new Array<Buffer>(100_000).fill(stored)]);
    expect(await failureOf(sinkAll(wire, ['deflate'], 400_000))).toBeInstanceOf(BodyTooLarge);
  });
});
