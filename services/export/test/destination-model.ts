import { describe, expect, test } from '@jest/globals';
import type { DestinationMode } from '@tidemark/datasets';
import fc from 'fast-check';
import type { SyncPlan } from '../src/destinations/driver.ts';
import { attemptOf, type DestinationServer, planOf, rowOf, sourceOf } from './destination-contract.ts';

/** One sync of a sequence: the run, whose number is its time, and the words of its pages by URL. */
interface Step {
  readonly run: number;
  readonly isWholeSite: boolean;
  readonly isFullRun: boolean;
  readonly pages: Readonly<Record<string, number>>;
  /** Writes the sync a second time, with other rows. */
  readonly isRepeated: boolean;
}

interface Stored {
  readonly words: number;
  readonly run: number;
  readonly isDeleted: boolean;
}

const steps = fc.array(
  fc.record({
    run: fc.integer({ min: 1, max: 5 }),

    isWholeSite: fc.boolean(),
    isFullRun: fc.boolean(),
    isRepeated: fc.boolean(),
    pages: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.integer({ min: 0, max: 2 })),
  }),
  { minLength: 1, maxLength: 8 },
);

const timeOf = (run: number): Date => new Date(Date.UTC(2026, 0, run));

/** What the table contains after a sync, by URL, or by run and URL in append mode. */
function applyStep(
  table: Map<string, Stored>,
  { run, pages, isWholeSite, isFullRun }: Step,
  mode: DestinationMode,
  newest: number,
): void {
  if (mode === 'append') {
    for (const key of [...table.keys()]) if (key.startsWith(`${run} `)) table.delete(key);
    for (const [url, words] of Object.entries(pages)) table.set(`${run} ${url}`, { words, run, isDeleted: false });
    return;
  }
  if (isFullRun && newest > run) return;
  for (const [url, words] of Object.entries(pages)) {
    const stored = table.get(url);
    const isChanged = stored === undefined || stored.isDeleted || stored.words !== words;
    if (stored === undefined || (run >= stored.run && isChanged)) table.set(url, { words, run, isDeleted: false });
  }
  if (mode !== 'mirror' || !isWholeSite) return;
  for (const [url, stored] of table) if (!(url in pages)) table.set(url, { ...stored, isDeleted: true });
}

/** Any sequence of syncs leaves the table that a model predicts. */
export function describeModel(name: string, server: () => DestinationServer, numRuns = 25): void {
  describe(`any sequence of syncs to ${name}`, () => {
    test.each(['append', 'upsert', 'mirror'] as const)(
      'leaves the table of the model in the mode %s',
      async (mode) => {
        await fc.assert(
          fc.asyncProperty(steps, async (sequence) => {
            const { table } = planOf();
            const model = new Map<string, Stored>();
            let newest = 0;
            for (const step of sequence) {
              const { run, pages, isWholeSite, isFullRun } = step;
              const more: Partial<SyncPlan> = {
                table,
                mode,
                isWholeSite,
                isFullRun,
                runId: `run_${run}`,
                runAt: timeOf(run),
              };
              const plan = planOf(more);
              const write = (rows: Readonly<Record<string, number>>) => {
                const batch = Object.entries(rows).map(([url, words]) => rowOf(url, words, timeOf(run)));
                return server().driver.write(plan, sourceOf(batch), attemptOf());
              };
              const first = await write(pages);
              applyStep(model, step, mode, newest);
              if (isFullRun && first.status === 'done') newest = Math.max(newest, run);
              if (step.isRepeated && first.status === 'done') await write({ ...pages, again: 9 });
            }
            const stored = (await server().rowsOf(table)).map((row): [string, Stored] => {
              const run = Number(String(row['_run_id']).slice(4));
              const key = mode === 'append' ? `${run} ${String(row['url'])}` : String(row['url']);
              return [key, { words: Number(row['words']), run, isDeleted: row['_deleted_at'] !== null }];
            });
            expect(new Map(stored.sort())).toEqual(new Map([...model].sort()));
          }),
          { numRuns },
        );
      },
      120_000,
    );
  });
}
