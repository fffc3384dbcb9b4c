import { describe, expect, test } from '@jest/globals';
import { column, nullable } from '@tidemark/datasets';
import type { SyncPlan, SyncRow } from '../src/destinations/driver.ts';
import { attemptOf, COLUMNS, type DestinationServer, planOf, rowOf, sourceOf } from './destination-contract.ts';

/** How every destination of rows treats the columns of its table. */
export function describeColumns(name: string, server: () => DestinationServer): void {
  const write = (plan: SyncPlan, ...rows: readonly SyncRow[]) =>
    server().driver.write(plan, sourceOf(rows), attemptOf());

  describe(`the columns of a table in ${name}`, () => {
    test('contain how each row differs from the run before, where that is known', async () => {
      const plan = planOf();
      await write(
        plan,
        { ...rowOf('a', 1), change: 'added' },
        { ...rowOf('b', 1), change: 'modified' },
        { ...rowOf('c', 1), change: 'same' },
        rowOf('d', 1),
      );
      const rows = await server().rowsOf(plan.table);
      expect(Object.fromEntries(rows.map((row) => [row['url'], row['_change']]))).toEqual({
        a: 'added',
        b: 'modified',
        c: 'same',
        d: null,
      });
    });

    test('of a frozen destination are those of its table: a sync with another column fails and changes nothing', async () => {
      const first = planOf({ freeze: true });
      await write(first, rowOf('a', 1));
      const next = { table: first.table, freeze: true, runAt: new Date(first.runAt.getTime() + 1_000) };
      await expect(
        write(planOf({ ...next, columns: [...COLUMNS, nullable('title', 'text', '')] }), rowOf('a', 2)),
      ).rejects.toMatchObject({ kind: 'invalid', message: expect.stringContaining('no column title') });
      await expect(
        write(planOf({ ...next, columns: [column('url', 'text', ''), nullable('words', 'json', '')] }), rowOf('a', 2)),
      ).rejects.toMatchObject({ kind: 'invalid', message: expect.stringContaining('the column words') });
      const [row] = await server().rowsOf(first.table);
      expect(row).toMatchObject({ url: 'a', words: 1 });
      expect(row).not.toHaveProperty('title');
      expect(await write(planOf(next), rowOf('a', 3))).toMatchObject({ written: 1 });
    });
  });
}
