import { expect, test } from '@jest/globals';
import type { DestinationError, SyncPlan } from '../src/destinations/driver.ts';
import { ObjectDriver } from '../src/destinations/objects/object-driver.ts';
import { attemptOf, planOf, rowOf, sourceOf } from './destination-contract.ts';
import { type ObjectServer, readRun } from './object-contract.ts';

/** A fault that begins during a sync. */
export interface StorageFault {
  /** Reached through what causes the fault. */
  readonly server: () => ObjectServer;
  /** Reads the files although the fault lasts. */
  readonly reader: () => ObjectServer;
  begin(plan: SyncPlan): void | Promise<void>;
  end(plan: SyncPlan): void | Promise<void>;
  readonly expected: { readonly kind: DestinationError['kind']; readonly message: RegExp };
}

const never = new AbortController().signal;
const PARTS = { chars: 1_000_000, rows: 1 };

/** Tests that a sync in which a fault begins ends with a precise failure, keeps the files of the sync before, and can be repeated. */
export function testStorageFault(title: string, { server, reader, begin, end, expected }: StorageFault): void {
  test(title, async () => {
    const { target, dial } = server();
    const driver = new ObjectDriver(target, dial, PARTS);
    const files = { path: `faults/${expected.kind}-${Math.random().toString(36).slice(2)}`, format: 'jsonl' } as const;
    const plan = (): SyncPlan => planOf({ mode: 'append', files: { ...files, compression: 'none' } });
    const first = plan();
    await driver.write(first, sourceOf([rowOf('a', 1), rowOf('b', 1)]), attemptOf());
    const second = plan();
    const failing = {
      async *read() {
        yield { rows: [rowOf('a', 2)], last: 1 };
        await begin(second);
        for (let last = 2; last < 6; last += 1) yield { rows: [rowOf(`b${last}`, 2)], last };
      },
    };
    const failure = await driver.write(second, failing, attemptOf()).catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: expected.kind, message: expect.stringMatching(expected.message) });
    expect(await stored(reader(), first)).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    await end(second);
    expect(await driver.write(second, sourceOf([rowOf('a', 2)]), attemptOf())).toMatchObject({
      status: 'done',
      read: 1,
    });
    expect(await stored(reader(), second)).toEqual([['a', 2]]);
  });
}

async function stored({ target, dial }: ObjectServer, plan: SyncPlan): Promise<unknown[]> {
  const store = await target.open(await dial(target.server), { signal: never, mayLearn: false });
  try {
    return (await readRun(store, plan)).rows.map((row) => [row['url'], row['words']]);
  } finally {
    await store.close();
  }
}
