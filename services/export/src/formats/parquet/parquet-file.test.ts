import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { column, type DatasetRow } from '@tidemark/datasets';
import { encodeParquet } from './parquet-file.ts';

const COLUMNS = [column('text', 'text', '')];
/** Rows of one group. */
const GROUP: readonly DatasetRow[] = Array.from({ length: 10 }, (_, index) => ({
  text: String(index).repeat(500_000),
}));
const GROUPS = 4;

test('a Parquet file keeps no chunk in memory that was read', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  async function* groups(): AsyncGenerator<readonly DatasetRow[]> {
    for (let group = 0; group < GROUPS; group += 1) yield GROUP;
  }
  const read: WeakRef<ArrayBufferLike>[] = [];
  let held = 0;
  for await (const chunk of encodeParquet(groups(), COLUMNS)) {
    read.push(new WeakRef(chunk.buffer));
    // A value that a WeakRef returned or received is held until the end of the job.
    await nextTurn();
    collectGarbage();
    held = read.slice(0, -1).filter((each) => each.deref() !== undefined).length;
  }
  expect(read.length).toBeGreaterThan(GROUPS);
  expect(held).toBe(0);
});
