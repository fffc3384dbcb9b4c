import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { takes } from '@tidemark/testkit';
import { HeldBytes } from './held-bytes.ts';
import { MemoryGuard } from './memory-guard.ts';
import type { MemoryReading } from './memory-reading.ts';
import { WORK_RPCS } from './work-rpcs.ts';

const MB = 1_048_576;
const PLENTY: MemoryReading = {
  heapUsed: 100 * MB,
  heapLive: 80 * MB,
  heapLimit: 400 * MB,
  resident: 300 * MB,
  residentLimit: 800 * MB,
};

/** A guard whose memory is set by the test, and whose clock moves a second at each reading of its state. */
function guardOf(first: Partial<MemoryReading> = {}) {
  let [reading, nowMs, collections] = [{ ...PLENTY, ...first }, 0, 0];
  let onCollect = (): void => undefined;
  const set = (next: Partial<MemoryReading>): void => {
    reading = { ...PLENTY, ...next };
  };
  const guard = new MemoryGuard({
    read: () => reading,
    now: () => {
      nowMs += 1_000;
      return nowMs;
    },
    collect: () => {
      collections += 1;
      onCollect();
    },
  });
  const whenCollected = (run: () => void): void => {
    onCollect = run;
  };
  return { guard, set, collections: () => collections, whenCollected };
}

describe('MemoryGuard', () => {
  it('refuses new work with 503 and a delay while live heap is near its limit', () => {
    const { guard, set } = guardOf();
    expect(guard.refusal()).toBeUndefined();
    set({ heapUsed: 340 * MB, heapLive: 330 * MB });
    expect(guard.refusal()).toMatchObject({ code: 'unavailable', httpStatus: 503, retryAfterSeconds: 2 });
    expect([guard.refused, guard.share]).toEqual([1, 0.85]);
  });

  it('accepts work again only when the use has fallen clearly below the mark', () => {
    const { guard, set } = guardOf({ heapUsed: 340 * MB, heapLive: 330 * MB });
    expect(guard.isFull).toBe(true);
    set({ heapUsed: 320 * MB, heapLive: 320 * MB });
    expect(guard.isFull).toBe(true);
    set({ heapUsed: 270 * MB, heapLive: 270 * MB });
    expect(guard.isFull).toBe(false);
  });

  it('does not count garbage as used until the heap is nearly exhausted', () => {
    const { guard, set } = guardOf({ heapUsed: 350 * MB, heapLive: 120 * MB });
    expect(guard.isFull).toBe(false);
    set({ heapUsed: 372 * MB, heapLive: 120 * MB });
    expect(guard.isFull).toBe(true);
  });

  it('collects garbage while it is full, because a process that refuses work would start no collection', () => {
    const { guard, set, collections, whenCollected } = guardOf();
    set({ heapUsed: 372 * MB, heapLive: 372 * MB });
    whenCollected(() => set({}));
    expect([guard.isFull, collections()]).toEqual([false, 1]);
  });

  it('refuses new work near the limit of resident memory', () => {
    const { guard, set } = guardOf({ resident: 740 * MB });
    expect(guard.isFull).toBe(true);
    set({ resident: 700 * MB });
    expect(guard.isFull).toBe(true);
    set({ resident: 600 * MB });
    expect(guard.isFull).toBe(false);
  });

  it('accepts work again after a while where the allocator keeps free memory below the upper mark', () => {
    const { guard, set } = guardOf({ resident: 740 * MB });
    expect(guard.isFull).toBe(true);
    set({ resident: 700 * MB });
    expect(Array.from({ length: 40 }, () => guard.isFull)).toEqual(expect.arrayContaining([true, false]));
    expect(guard.isFull).toBe(false);
  });

  it('accepts work again after a while where what the process keeps holds the heap below the upper mark', () => {
    const { guard, set } = guardOf({ heapUsed: 340 * MB, heapLive: 330 * MB });
    expect(guard.isFull).toBe(true);
    set({ heapUsed: 300 * MB, heapLive: 300 * MB });
    expect(Array.from({ length: 40 }, () => guard.isFull)).toEqual(expect.arrayContaining([true, false]));
    expect(guard.isFull).toBe(false);
  });

  it('is never full by resident memory where no limit is set', () => {
    const { guard } = guardOf({ resident: 64_000 * MB, residentLimit: Number.POSITIVE_INFINITY });
    expect([guard.isFull, guard.share]).toEqual([false, 0.25]);
  });

  it('fails the readiness check while it is full', async () => {
    const { guard, set } = guardOf();
    await guard.check();
    set({ resident: 760 * MB });
    await expect(guard.check()).rejects.toThrow('95 % of the memory limit is in use');
  });
});

describe('HeldBytes', () => {
  const message = (bytes: number) => ({ data: new Uint8Array(bytes), working: () => undefined });

  it('takes no more messages while the bytes that are being stored exceed the limit, and continues afterwards', async () => {
    const held = new HeldBytes({ isFull: false }, 1_000);
    const order: string[] = [];
    await held.take(
      message(10),
      takes(60).then(() => void order.push('small stored')),
    );
    order.push('small taken');
    await held.take(
      message(2_000),
      takes(120).then(() => void order.push('large stored')),
    );
    order.push('large taken');
    expect(order).toEqual(['small taken', 'small stored', 'large stored', 'large taken']);
  });

  it('stores one message at a time near the memory limit, so that accepted work ends', async () => {
    const held = new HeldBytes({ isFull: true }, 1_000);
    const order: string[] = [];
    for (const name of ['first', 'second']) {
      await held.take(
        message(10),
        takes(30).then(() => void order.push(`${name} stored`)),
      );
      order.push(`${name} taken`);
    }
    expect(order).toEqual(['first stored', 'first taken', 'second stored', 'second taken']);
  });
});

describe('WORK_RPCS', () => {
  it('names RPCs that exist', () => {
    const protos = join(import.meta.dirname, '../../../proto/tidemark');
    const files = readdirSync(protos, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.proto'));
    const paths = files.flatMap((name) => {
      const text = readFileSync(join(protos, name), 'utf8');
      const area = /^package ([\w.]+);/m.exec(text)?.[1];
      return text
        .split(/^service /m)
        .slice(1)
        .flatMap((service) =>
          [...service.matchAll(/^\s+rpc (\w+)\(/gm)].map((rpc) => `/${area}.${/^\w+/.exec(service)?.[0]}/${rpc[1]}`),
        );
    });
    expect([...WORK_RPCS].filter((path) => !paths.includes(path))).toEqual([]);
  });
});
