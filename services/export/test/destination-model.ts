import { describe, expect, test } from '@jest/globals';
import type { DestinationMode } from '@tidemark/datasets';
import fc from 'fast-check';
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

/** In append mode, a run has its rows once, however often it is written. */
function appendRun(table: Map<string, Stored>, run: number, pages: Step['pages']): void {
  for (const key of [...table.keys()]) if (key.startsWith(`${run} `)) table.delete(key);
  for (const [url, words] of Object.entries(pages)) table.set(`${run} ${url}`, { words, run, isDeleted: false });
}

/** Whether a row takes the place of the stored one: of the same run or a later one, and other words. */
const isReplaced = (stored: Stored | undefined, run: number, words: number): boolean =>
  stored === undefined || (run >= stored.run && (stored.isDeleted || stored.words !== words));

/** What the table contains after a sync, by URL, or by run and URL in append mode. */
function applyStep(
  table: Map<string, Stored>,
  { run, pages, isWholeSite, isFullRun }: Step,
  mode: DestinationMode,
  newest: number,
): void {
  if (mode === 'append') return void appendRun(table, run, pages);
  if (isFullRun && newest > run) return;
  for (const [url, words] of Object.entries(pages))
    if (isReplaced(table.get(url), run, words)) table.set(url, { words, run, isDeleted: false });
  if (mode !== 'mirror' || !isWholeSite) return;
  for (const [url, stored] of table) if (!(url in pages)) table.set(url, { ...stored, isDeleted: true });
}

/** Writes a sync, and again with another row where the step repeats it. @returns whether the first was done */
async function writeStep(
  server: DestinationServer,
  step: Step,
  table: string,
  mode: DestinationMode,
): Promise<boolean> {
  const { run, pages, isWholeSite, isFullRun } = step;
  const plan = planOf({ table, mode, isWholeSite, isFullRun, runId: `run_${run}`, runAt: timeOf(run) });
  const write = (rows: Readonly<Record<string, number>>) => {
    const batch = Object.entries(rows).map(([url, words]) => rowOf(url, words, timeOf(run)));
    return server.driver.write(plan, sourceOf(batch), attemptOf());
  };
  const { status } = await write(pages);
  if (step.isRepeated && status === 'done') await write({ ...pages, again: 9 });
  return status === 'done';
}

/** Converts a row of the table to an entry of the model. */
function storedOf(row: Readonly<Record<string, unknown>>, mode: DestinationMode): [string, Stored] {
  const run = Number(String(row['_run_id']).slice(4));
  const key = mode === 'append' ? `${run} ${String(row['url'])}` : String(row['url']);
  return [key, { words: Number(row['words']), run, isDeleted: row['_deleted_at'] !== null }];
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
              const isDone = await writeStep(server(), step, table, mode);
              applyStep(model, step, mode, newest);
              if (step.isFullRun && isDone) newest = Math.max(newest, step.run);
            }
            const stored = (await server().rowsOf(table)).map((row) => storedOf(row, mode));
            expect(new Map(stored.sort())).toEqual(new Map([...model].sort()));
          }),
          { numRuns },
        );
      },
      120_000,
    );
  });
}
