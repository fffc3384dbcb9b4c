import { describe, expect, test } from '@jest/globals';
import { column, type DatasetColumn, type DestinationMode, nullable } from '@tidemark/datasets';
import fc from 'fast-check';
import type { Driver, SyncAttempt, SyncPlan, SyncRow, SyncSource, TestStep } from '../src/destinations/driver.ts';
import { storable, storableText } from '../src/destinations/storable.ts';

/** A destination on a real server. */
export interface DestinationServer {
  readonly driver: Driver;
  /** Returns the rows of a table in any order, with the meta columns. */
  rowsOf(table: string): Promise<Record<string, unknown>[]>;
}

export const COLUMNS: readonly DatasetColumn[] = [
  column('url', 'text', ''),
  nullable('words', 'int', ''),
  nullable('price', 'double', ''),
  nullable('ok', 'bool', ''),
  nullable('at', 'time', ''),
  nullable('extra', 'json', ''),
];

const AT = new Date('2026-03-04T05:06:07.000Z');
let number = 0;

export function planOf(more: Partial<SyncPlan> = {}): SyncPlan {
  number += 1;
  return {
    syncId: `syn_${number}`,
    projectId: 'prj_1',
    dataset: 'pages',
    runId: 'run_1',
    runAt: AT,
    table: `pages_${number}`,
    mode: 'upsert',
    columns: COLUMNS,
    isFullRun: true,
    isWholeSite: true,
    freeze: false,
    files: { path: '', format: 'jsonl', compression: 'none' },
    ...more,
  };
}

export const rowOf = (url: string, words: number | null, crawledAt = AT): SyncRow => ({
  key: [url],
  values: { url, words, price: 1.5, ok: true, at: AT.toISOString(), extra: { list: [1, 'a'] } },
  crawledAt,
});

/** Returns a source of these batches. The position of a row is its number. */
export const sourceOf = (...batches: (readonly SyncRow[])[]): SyncSource => ({
  async *read(after) {
    let last = 0;
    for (const batch of batches) {
      const rows = batch.slice(Math.max(0, after - last));
      last += batch.length;
      if (rows.length > 0) yield { rows, last };
    }
  },
});

/** Returns a source of one batch of rows, of which as many more were left out. */
export const sourceWithout = (skipped: number, rows: readonly SyncRow[]): SyncSource => ({
  async *read() {
    yield { rows, skipped, last: rows.length + skipped };
  },
});

/** An attempt that is not aborted and has no earlier parts. */
export const attemptOf = (more: Partial<SyncAttempt> = {}): SyncAttempt => ({
  signal: new AbortController().signal,
  parts: [],
  recordPart: async () => undefined,
  reportProgress: () => undefined,
  ...more,
});

/** Returns the steps of a test. */
export async function stepsOf(driver: Driver, mode: DestinationMode = 'upsert'): Promise<TestStep[]> {
  const steps: TestStep[] = [];
  for await (const step of driver.test(mode, AbortSignal.timeout(15_000))) steps.push(step);
  return steps;
}

const byUrl = (rows: readonly Record<string, unknown>[]) =>
  Object.fromEntries(rows.map((row) => [row['url'], [row['words'], row['_deleted_at'] === null]]));

/** The behaviour that every destination of rows must have. */
export function describeDestination(name: string, server: () => DestinationServer): void {
  const write = (plan: SyncPlan, ...batches: (readonly SyncRow[])[]) =>
    server().driver.write(plan, sourceOf(...batches), attemptOf());

  describe(`a sync to ${name}`, () => {
    test('writes rows of several batches with their types, and counts them', async () => {
      const plan = planOf();
      const outcome = await write(plan, [rowOf('https://a.example/', 5)], [rowOf('https://a.example/b', null)]);
      expect(outcome).toMatchObject({ status: 'done', read: 2, written: 2, unchanged: 0, deleted: 0, warnings: [] });
      const [row] = (await server().rowsOf(plan.table)).filter(({ url }) => url === 'https://a.example/');
      expect(row).toMatchObject({ words: 5, price: 1.5, ok: true, at: AT, extra: { list: [1, 'a'] } });
      expect(row).toMatchObject({
        _project_id: 'prj_1',
        _run_id: 'run_1',
        _sync_id: plan.syncId,
        _crawled_at: AT,
        _deleted_at: null,
      });
      expect(String(row?.['_row_id'])).toMatch(/^[0-9a-f]{64}$/);
    });

    test('written again under its id has no effect and returns the first counts', async () => {
      const plan = planOf();
      const first = await write(plan, [rowOf('a', 1)]);
      expect(await write(plan, [rowOf('a', 2), rowOf('b', 3)])).toMatchObject({
        read: first.read,
        written: first.written,
      });
      expect(byUrl(await server().rowsOf(plan.table))).toEqual({ a: [1, true] });
    });

    test('keeps the number of rows that were left out, for the case that it is written again', async () => {
      const plan = planOf();
      const source = {
        async *read() {
          yield { rows: [rowOf('a', 1)], skipped: 2, last: 3 };
          yield { rows: [rowOf('b', 1)], skipped: 1, last: 5 };
        },
      };
      const first = await server().driver.write(plan, source, attemptOf());
      expect(first).toMatchObject({ read: 2, written: 2, skipped: 3 });
      expect(await server().driver.write(plan, source, attemptOf())).toEqual(first);
    });

    test('of two processes at the same time is written once', async () => {
      const plan = planOf();
      const rows = Array.from({ length: 300 }, (_, index) => rowOf(`u${index}`, index));
      const outcomes = await Promise.all([write(plan, rows), write(plan, rows)]);
      expect(outcomes.map(({ status, read }) => [status, read])).toEqual([
        ['done', 300],
        ['done', 300],
      ]);
      const stored = await server().rowsOf(plan.table);
      expect(new Set(stored.map(({ url }) => url)).size).toBe(300);
      expect(stored).toHaveLength(300);
    });

    test('of a later run changes the rows that differ and leaves the others untouched', async () => {
      const first = planOf();
      await write(first, [rowOf('a', 1), rowOf('b', 1)]);
      const second = planOf({ table: first.table, runId: 'run_2', runAt: new Date(AT.getTime() + 1_000) });
      expect(await write(second, [rowOf('a', 2), rowOf('b', 1)])).toMatchObject({ written: 1, unchanged: 1 });
      const rows = await server().rowsOf(first.table);
      expect(Object.fromEntries(rows.map((row) => [row['url'], row['_run_id']]))).toEqual({ a: 'run_2', b: 'run_1' });
    });

    test('of an older run than the newest is skipped', async () => {
      const newer = planOf({ runAt: new Date(AT.getTime() + 1_000) });
      await write(newer, [rowOf('a', 2)]);
      expect(await write(planOf({ table: newer.table, runId: 'run_0' }), [rowOf('a', 1)])).toMatchObject({
        status: 'skipped',
      });
      expect(byUrl(await server().rowsOf(newer.table))).toEqual({ a: [2, true] });
    });

    test('of a batch or a recrawl is not skipped as older, and the newest capture of each row wins', async () => {
      const newer = planOf({ runAt: new Date(AT.getTime() + 5_000) });
      await write(newer, [rowOf('a', 2, new Date(AT.getTime() + 5_000))]);
      const older = planOf({ table: newer.table, runId: 'job_1', isFullRun: false, isWholeSite: false });
      expect(await write(older, [rowOf('a', 1), rowOf('b', 1)])).toMatchObject({ status: 'done', written: 1 });
      expect(byUrl(await server().rowsOf(newer.table))).toEqual({ a: [2, true], b: [1, true] });
    });

    test('in append mode adds the rows of each run, and replaces those of a run that is written again', async () => {
      const first = planOf({ mode: 'append' });
      await write(first, [rowOf('a', 1), rowOf('b', 1)]);
      await write(planOf({ mode: 'append', table: first.table, runId: 'run_2' }), [rowOf('a', 2)]);
      await write(planOf({ mode: 'append', table: first.table }), [rowOf('a', 3)]);
      const rows = await server().rowsOf(first.table);
      expect(rows.map((row) => [row['_run_id'], row['words']]).sort()).toEqual([
        ['run_1', 3],
        ['run_2', 2],
      ]);
    });

    test('in mirror mode marks rows that a whole run no longer has as deleted, and restores them when they return', async () => {
      const first = planOf({ mode: 'mirror' });
      await write(first, [rowOf('a', 1), rowOf('b', 1)]);
      const next = (seconds: number, more: Partial<SyncPlan> = {}) =>
        planOf({
          mode: 'mirror',
          table: first.table,
          runId: `run_${seconds}`,
          runAt: new Date(AT.getTime() + seconds * 1_000),
          ...more,
        });
      const partial = await write(next(2, { isWholeSite: false }), [rowOf('a', 1)]);
      expect([partial.deleted, partial.warnings]).toEqual([
        0,
        [expect.stringContaining('does not cover the whole site')],
      ]);
      expect(await write(next(3), [rowOf('a', 1)])).toMatchObject({ deleted: 1 });
      expect(byUrl(await server().rowsOf(first.table))).toEqual({ a: [1, true], b: [1, false] });
      await write(next(4), [rowOf('a', 1), rowOf('b', 1)]);
      expect(byUrl(await server().rowsOf(first.table))).toEqual({ a: [1, true], b: [1, true] });
    });

    test('of one project leaves the rows of another project in the same table', async () => {
      const first = planOf({ mode: 'mirror' });
      await write(first, [rowOf('a', 1)]);
      await write(planOf({ mode: 'mirror', table: first.table, projectId: 'prj_2' }), [rowOf('b', 1)]);
      expect(byUrl(await server().rowsOf(first.table))).toEqual({ a: [1, true], b: [1, true] });
    });

    test('adds columns that the table lacks, and keeps those that it does not write', async () => {
      const first = planOf();
      await write(first, [rowOf('a', 1)]);
      const columns = [column('url', 'text', ''), nullable('title', 'text', '')];
      const second = planOf({ table: first.table, columns, runAt: new Date(AT.getTime() + 1_000) });
      await write(second, [{ key: ['a'], values: { url: 'a', title: 'A' }, crawledAt: AT }]);
      expect(await server().rowsOf(first.table)).toEqual([expect.objectContaining({ url: 'a', words: 1, title: 'A' })]);
    });

    test('whose source fails writes nothing', async () => {
      const plan = planOf();
      const failing: SyncSource = {
        async *read() {
          yield { rows: [rowOf('a', 1)], last: 1 };
          throw new Error('the archive is unavailable');
        },
      };
      await expect(server().driver.write(plan, failing, attemptOf())).rejects.toThrow('the archive is unavailable');
      expect(await server().rowsOf(plan.table)).toEqual([]);
    });

    test('keeps any text and JSON value but U+0000 and lone surrogates', async () => {
      const text = fc.string({ unit: 'binary', maxLength: 200 });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(text, fc.jsonValue({ maxDepth: 3 })), { minLength: 1, maxLength: 20 }),
          async (cells) => {
            const columns = [column('id', 'int', ''), nullable('text', 'text', ''), nullable('json', 'json', '')];
            const plan = planOf({ columns });
            await write(
              plan,
              cells.map(([value, json], id) => ({ key: [id], values: { id, text: value, json }, crawledAt: AT })),
            );
            const rows = (await server().rowsOf(plan.table)).sort((a, b) => Number(a['id']) - Number(b['id']));
            expect(rows.map((row) => row['text'])).toEqual(cells.map(([value]) => storableText(value)));
            expect(rows.map((row) => row['json'])).toEqual(cells.map(([, json]) => storable(asJson(json))));
          },
        ),
        { numRuns: 20 },
      );
    });

    test('can be tested step by step, and a test leaves nothing behind', async () => {
      const steps = await stepsOf(server().driver);
      expect(steps.map(({ name: step, ok }) => [step, ok])).toEqual([
        ['address', true],
        ['connect', true],
        ['sign_in', true],
        ['write', true],
        ['mode', true],
      ]);
      expect(await server().rowsOf('_tidemark_test')).toEqual([]);
    });
  });
}

/** A value as JSON carries it: -0 becomes 0. */
function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
