import { describe, expect, test } from '@jest/globals';
import { column, nullable } from '@tidemark/datasets';
import type { DialTcp } from '@tidemark/egress';
import fc from 'fast-check';
import type { StoredPart, SyncPlan, SyncRow } from '../src/destinations/driver.ts';
import { type Manifest, readManifest } from '../src/destinations/objects/manifest.ts';
import { ObjectDriver } from '../src/destinations/objects/object-driver.ts';
import { runFolder } from '../src/destinations/objects/object-path.ts';
import type { ObjectStore, ObjectTarget } from '../src/destinations/objects/object-store.ts';
import { storable, storableText } from '../src/destinations/storable.ts';
import { attemptOf, planOf, rowOf, sourceOf, stepsOf } from './destination-contract.ts';
import { readPart } from './read-part.ts';

/** A destination of files on a server, and the dialler that may reach it. */
export interface ObjectServer {
  readonly target: ObjectTarget;
  readonly dial: DialTcp;
}

const never = new AbortController().signal;
/** Parts of two rows. */
const SMALL = { chars: 1_000_000, rows: 2 };

/** The behaviour that every destination of files must have. */
export function describeObjects(name: string, server: () => ObjectServer): void {
  const driver = () => new ObjectDriver(server().target, server().dial, SMALL);
  const append = (more: Partial<SyncPlan> = {}) => {
    const plan = planOf({ mode: 'append', ...more });
    return { ...plan, files: { ...plan.files, path: `exports/${plan.table}`, ...more.files } };
  };
  const write = (plan: SyncPlan, ...batches: (readonly SyncRow[])[]) =>
    driver().write(plan, sourceOf(...batches), attemptOf());
  const withStore = async <T>(run: (store: ObjectStore) => Promise<T>): Promise<T> => {
    const { target, dial } = server();
    const store = await target.open(await dial(target.server), { signal: never, mayLearn: false });
    try {
      return await run(store);
    } finally {
      await store.close();
    }
  };
  const filesOf = (plan: SyncPlan) => withStore((store) => readRun(store, plan));

  describe(`a sync of files to ${name}`, () => {
    test('writes the rows as whole files whose manifest lists them with their hashes', async () => {
      const plan = append({ runId: 'run 1/../ä' });
      const rows = [1, 2, 3].map((words) => rowOf(`https://a.example/${words}`, words));
      const outcome = await write(plan, rows.slice(0, 2), rows.slice(2));
      expect(outcome).toMatchObject({ status: 'done', read: 3, written: 3, deleted: 0, skipped: 0, warnings: [] });
      expect(outcome.location).toMatch(/:\/\/.*exports\/pages_\d+\/pages\/project=prj_1\/run=run%201%2F..%2F%C3%A4\/$/);
      const { manifest, rows: stored } = await filesOf(plan);
      expect(manifest).toMatchObject({
        syncId: plan.syncId,
        rows: 3,
        bytes: outcome.bytes,
        format: 'jsonl',
        replaced: [],
      });
      expect(manifest?.parts.map((part) => part.rows)).toEqual([2, 1]);
      expect(stored.map((row) => [row['url'], row['words'], row['extra']])).toEqual(
        rows.map(({ values }) => [values['url'], values['words'], { list: [1, 'a'] }]),
      );
      expect(stored[0]).toMatchObject({ _project_id: 'prj_1', _run_id: plan.runId, _sync_id: plan.syncId });
      expect(String(stored[0]?.['_row_id'])).toMatch(/^[0-9a-f]{64}$/);
    });

    test('written again under its id has no effect and returns the first counts', async () => {
      const plan = append();
      const first = await write(plan, [rowOf('a', 1)]);
      expect(await write(plan, [rowOf('a', 2), rowOf('b', 3)])).toEqual(first);
      expect((await filesOf(plan)).rows.map((row) => row['words'])).toEqual([1]);
    });

    test('keeps the number of rows that were left out, for every attempt after it', async () => {
      const plan = append();
      const recorded: StoredPart[] = [];
      const source = {
        async *read(after: number) {
          if (after < 3) yield { rows: [rowOf('a', 1), rowOf('b', 1)], skipped: 1, last: 3 };
          yield { rows: [rowOf('c', 1)], skipped: 2, last: 6 };
          yield { rows: [], skipped: 4, last: 10 };
        },
      };
      const failing = attemptOf({
        recordPart: async (part) => {
          if (recorded.length === 1) throw new Error('the process ended');
          recorded.push(part);
        },
      });
      await expect(driver().write(plan, source, failing)).rejects.toThrow('the process ended');
      const resumed = await driver().write(plan, source, attemptOf({ parts: recorded }));
      expect(resumed).toMatchObject({ written: 3, skipped: 7 });
      expect(await driver().write(plan, source, attemptOf())).toEqual(resumed);
    });

    test('of a run that was written before replaces its files', async () => {
      const first = append();
      await write(first, [rowOf('a', 1), rowOf('b', 1)], [rowOf('c', 1)]);
      const old = await filesOf(first);
      const second = append({ files: first.files });
      await write(second, [rowOf('a', 2)]);
      expect((await filesOf(second)).rows.map((row) => [row['url'], row['words']])).toEqual([['a', 2]]);
      const left = await withStore((store) =>
        Promise.all((old.manifest?.parts ?? []).map((part) => store.get(`${runFolder(first)}${part.name}`, never))),
      );
      expect(left).toEqual([undefined, undefined]);
    });

    test('continues behind the recorded parts of an attempt that failed, and the manifest lists every row once', async () => {
      const plan = append();
      const batches = [1, 2, 3, 4, 5].map((words) => [rowOf(`u${words}`, words)]);
      const recorded: StoredPart[] = [];
      const failing = attemptOf({
        recordPart: async (part) => {
          if (recorded.length === 1) throw new Error('the process ended');
          recorded.push(part);
        },
      });
      await expect(driver().write(plan, sourceOf(...batches), failing)).rejects.toThrow('the process ended');
      expect([(await filesOf(plan)).manifest, recorded.map(({ last }) => last)]).toEqual([undefined, [2]]);
      const reads: number[] = [];
      const source = sourceOf(...batches);
      const watched = {
        read: (after: number) => {
          reads.push(after);
          return source.read(after);
        },
      };
      expect(await driver().write(plan, watched, attemptOf({ parts: recorded }))).toMatchObject({
        read: 5,
        written: 5,
      });
      expect(reads).toEqual([2]);
      expect((await filesOf(plan)).rows.map((row) => row['words'])).toEqual([1, 2, 3, 4, 5]);
    });

    test('of an empty run writes a manifest without files', async () => {
      const plan = append();
      expect(await write(plan)).toMatchObject({ read: 0, bytes: 0 });
      expect((await filesOf(plan)).manifest).toMatchObject({ rows: 0, parts: [] });
    });

    test('whose source fails writes no manifest', async () => {
      const plan = append();
      const failing = {
        async *read() {
          yield { rows: [rowOf('a', 1)], last: 1 };
          throw new Error('the archive is unavailable');
        },
      };
      await expect(driver().write(plan, failing, attemptOf())).rejects.toThrow('the archive is unavailable');
      expect((await filesOf(plan)).manifest).toBeUndefined();
    });

    test.each([
      ['jsonl', 'gzip'],
      ['jsonl', 'zstd'],
      ['csv', 'none'],
      ['parquet', 'none'],
    ] as const)('keeps any text and JSON value in %s with compression %s', async (format, compression) => {
      const text = fc.string({ unit: 'binary', maxLength: 200 });
      const cells = fc.sample(fc.tuple(text, fc.jsonValue({ maxDepth: 3 })), { numRuns: 50, seed: 7 });
      const columns = [column('id', 'int', ''), nullable('text', 'text', ''), nullable('json', 'json', '')];
      const plan = append({ columns, files: { path: `any/${format}-${compression}`, format, compression } });
      const rows = cells.map(([value, json], id) => ({
        key: [id],
        values: { id, text: value, json },
        crawledAt: new Date(0),
      }));
      await write(plan, rows);
      const stored = (await filesOf(plan)).rows;
      expect(stored.map((row) => row['text'])).toEqual(cells.map(([value]) => storableText(value)));
      expect(stored.map((row) => row['json'])).toEqual(
        cells.map(([, json]) => storable(JSON.parse(JSON.stringify(json)))),
      );
    });

    test.each(['../up', 'a/../b', './a', 'a\\..\\b', 'a\u0000b', 'a\nb'])('refuses the path %j', async (path) => {
      const plan = append();
      const unsafe = { ...plan, files: { ...plan.files, path } };
      await expect(write(unsafe, [rowOf('a', 1)])).rejects.toMatchObject({ kind: 'invalid' });
    });

    test('supports the mode append only, and a test says so', async () => {
      await expect(write(append({ mode: 'mirror' }), [rowOf('a', 1)])).rejects.toMatchObject({ kind: 'invalid' });
      const steps = await stepsOf(driver(), 'mirror');
      expect(steps.at(-1)).toMatchObject({ name: 'mode', ok: false, message: expect.stringContaining('append') });
    });

    test('can be tested step by step', async () => {
      expect((await stepsOf(driver(), 'append')).map(({ name: step, ok }) => [step, ok])).toEqual([
        ['address', true],
        ['connect', true],
        ['sign_in', true],
        ['write', true],
        ['mode', true],
      ]);
    });
  });
}

/** Reads the files that the manifest of a run lists. */
export async function readRun(
  store: ObjectStore,
  plan: SyncPlan,
): Promise<{ manifest: Manifest | undefined; rows: Record<string, unknown>[] }> {
  const folder = runFolder(plan);
  const manifest = await readManifest(store, folder, never);
  const rows: Record<string, unknown>[] = [];
  for (const part of manifest?.parts ?? []) {
    const bytes = await store.get(`${folder}${part.name}`, never);
    if (bytes === undefined) throw new Error(`${part.name} is missing`);
    rows.push(...(await readPart(bytes, plan)));
  }
  return { manifest, rows };
}
