import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from '@jest/globals';
import type { StoredPart } from '../src/destinations/driver.ts';
import { readManifest } from '../src/destinations/objects/manifest.ts';
import { ObjectDriver } from '../src/destinations/objects/object-driver.ts';
import { runFolder } from '../src/destinations/objects/object-path.ts';
import { attemptOf, planOf, rowOf, sourceOf } from './destination-contract.ts';
import { type ObjectServer, readRun } from './object-contract.ts';
import type { Stop, TargetValues, WriterJob } from './servers/killed-writer.ts';

const WRITER = resolve(import.meta.dirname, 'servers/killed-writer.ts');
const FLAGS = ['--conditions=tidemark-source', '--disable-warning=ExperimentalWarning'];
/** Parts of two rows: three parts and the manifest. */
const SMALL = { chars: 100_000_000, rows: 2 };
const MANIFEST = 3;
/** A part is sent in several packets. */
const ROWS = [1, 2, 3, 4, 5].map((words) => rowOf(`u${words}-${'x'.repeat(400_000)}`, words));

const STOPS: Readonly<Record<string, Stop>> = {
  'before the second part': { at: 'before', file: 1 },
  'while the second part is sent': { at: 'during', file: 1 },
  'between a part and its record': { at: 'after', file: 1 },
  'behind the record of a part': { at: 'recorded', file: 1 },
  'before the manifest': { at: 'before', file: MANIFEST },
  'while the manifest is sent': { at: 'during', file: MANIFEST },
  'behind the manifest': { at: 'after', file: MANIFEST },
};

/** Runs the writer until it stops, and kills it. @returns the parts that it recorded */
async function killedAt(job: WriterJob): Promise<StoredPart[]> {
  const writer = spawn(process.execPath, [...FLAGS, WRITER], { stdio: ['pipe', 'pipe', 'inherit'] });
  writer.stdin.end(JSON.stringify(job));
  const ended = once(writer, 'exit');
  const parts: StoredPart[] = [];
  for await (const line of createInterface(writer.stdout)) {
    const said: StoredPart | string = JSON.parse(line);
    if (typeof said !== 'string') parts.push(said);
    else if (said === 'stopped') writer.kill('SIGKILL');
  }
  const [, signal] = await ended;
  if (signal !== 'SIGKILL') throw new Error(`the writer ended before it stopped at ${JSON.stringify(job.stop)}`);
  return parts;
}

/** What a destination of files has where the process that writes it is killed, or where two processes write one sync. */
export function describeKilledWriters(name: string, server: () => ObjectServer, valuesOf: () => TargetValues): void {
  const driver = () => new ObjectDriver(server().target, server().dial, SMALL);
  const newPlan = () => {
    const plan = planOf({ mode: 'append' });
    return { ...plan, files: { ...plan.files, path: `killed/${plan.table}` } };
  };
  const open = async () => server().target.open(await server().dial(server().target.server), SIGN_IN);

  describe(`a sync of files to ${name}`, () => {
    test('whose process is killed at any step is not visible before its manifest, and has every row once after another attempt', async () => {
      const store = await open();
      const results = await Promise.all(
        Object.entries(STOPS).map(async ([step, stop]) => {
          const plan = newPlan();
          const parts = await killedAt({ target: valuesOf(), plan, rows: ROWS, limits: SMALL, stop });
          const isVisible = (await readManifest(store, runFolder(plan), SIGN_IN.signal)) !== undefined;
          const outcome = await driver().write(plan, sourceOf(...ROWS.map((row) => [row])), attemptOf({ parts }));
          const { manifest, rows } = await readRun(store, plan);
          return { step, recorded: parts.length, isVisible, outcome, manifest, words: rows.map((row) => row['words']) };
        }),
      );
      await store.close();
      for (const { step, outcome, manifest, words } of results) {
        expect([step, outcome.status, outcome.written, words]).toEqual([step, 'done', 5, [1, 2, 3, 4, 5]]);
        expect([step, manifest?.parts.map((part) => part.rows)]).toEqual([step, [2, 2, 1]]);
      }
      const recorded = results.map(({ step, recorded: count }) => [step, count]);
      expect(Object.fromEntries(recorded)).toEqual({
        'before the second part': 1,
        'while the second part is sent': 1,
        'between a part and its record': 1,

        'behind the record of a part': 2,
        'before the manifest': 3,
        'while the manifest is sent': 3,
        'behind the manifest': 3,
      });
      const visible = results.filter(({ isVisible }) => isVisible).map(({ step }) => step);
      expect(visible.filter((step) => step !== 'while the manifest is sent')).toEqual(['behind the manifest']);
    }, 60_000);

    test('of two processes at the same time lists every row once', async () => {
      const plan = newPlan();
      const write = () => driver().write(plan, sourceOf(...ROWS.map((row) => [row])), attemptOf());
      const outcomes = await Promise.all([write(), write()]);
      expect(outcomes.map(({ written }) => written)).toEqual([5, 5]);
      const store = await open();
      expect((await readRun(store, plan)).rows.map((row) => row['words'])).toEqual([1, 2, 3, 4, 5]);
      await store.close();
    });
  });
}

const SIGN_IN = { signal: new AbortController().signal, mayLearn: false };
