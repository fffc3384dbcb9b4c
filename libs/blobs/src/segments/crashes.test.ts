import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { packBlob } from '../pack-blob.ts';
import { SegmentDriver } from './segment-driver.ts';
import { listSegments, segmentFolder, segmentPath } from './segment-folder.ts';
import { SegmentMaintenance } from './segment-maintenance.ts';
import { SegmentTrash } from './segment-trash.ts';
import type { Step } from './steps.ts';

const base = mkdtempSync(join(tmpdir(), 'tidemark-crashes-'));
afterAll(() => rmSync(base, { recursive: true }));

const NAMES = 12;
const BODIES = Array.from({ length: NAMES }, (_, i) =>
  packBlob(Buffer.concat([Buffer.from(`body ${i} `), randomBytes(300 + i * 40)])),
);
const SEGMENT_BYTES = 2_000;
const STEPS: readonly Step[] = [
  'appended',
  'synced',
  'before index commit',
  'indexed',
  'purged',
  'erasing',
  'erased',
  'copied',
  'moved',
  'segment removed',
];

class Crash extends Error {}

type State = 'stored' | 'in_trash' | 'missing';

interface Operation {
  readonly kind: 'write' | 'discard' | 'restore' | 'purge' | 'maintain';
  readonly bodies: readonly number[];
  /** The step and its occurrence after which the process ends; absent: it does not. */
  readonly crash: { readonly step: Step; readonly nth: number } | null;
  /** Bytes that a torn write leaves at the end of each segment. */
  readonly torn: number;
}

const operation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constantFrom('write', 'write', 'discard', 'restore', 'purge', 'maintain'),
  bodies: fc.uniqueArray(fc.nat(NAMES - 1), { minLength: 1, maxLength: 5 }),
  crash: fc.option(fc.record({ step: fc.constantFrom(...STEPS), nth: fc.integer({ min: 1, max: 3 }) }), { freq: 2 }),
  torn: fc.constantFrom(0, 0, 40, 100),
});

/** A store whose process ends at a step: what is on the disk at that moment stays, nothing else happens. */
class Machine {
  readonly root: string;
  /** The states that each body may have: several after a change that was interrupted. */
  readonly expected: ReadonlySet<State>[] = BODIES.map(() => new Set<State>(['missing']));
  #crash: Operation['crash'] = null;
  #seen = 0;

  constructor(root: string) {
    this.root = root;
  }

  readonly #onStep = (step: Step): void => {
    if (this.#crash?.step !== step) return;
    this.#seen += 1;
    if (this.#seen === this.#crash.nth) throw new Crash(step);
  };

  async apply({ kind, bodies, crash, torn }: Operation): Promise<void> {
    this.#crash = crash;
    this.#seen = 0;
    const crashed = await this.#run(kind, bodies);
    for (const body of bodies) {
      const before = this.expected[body] ?? new Set();
      const changed = [...before].map((state) => CHANGES[kind][state]);
      this.expected[body] = new Set(crashed ? [...before, ...changed] : changed);
    }
    if (!crashed) return;
    for (const name of listSegments(segmentFolder(this.root)))
      if (torn > 0) appendFileSync(segmentPath(segmentFolder(this.root), name), randomBytes(torn));
  }

  /** @returns true if the process ended on the way */
  async #run(kind: Operation['kind'], bodies: readonly number[]): Promise<boolean> {
    const names = bodies.map((body) => BODIES[body]?.sha256 ?? '');
    const onStep = this.#onStep;
    try {
      if (kind === 'write') {
        const driver = new SegmentDriver(this.root, { segmentBytes: SEGMENT_BYTES, onStep });
        try {
          await Promise.all(bodies.flatMap((body) => BODIES[body] ?? []).map((blob) => driver.write(blob)));
        } finally {
          await driver.close();
        }
      } else if (kind === 'maintain') {
        for (const name of listSegments(segmentFolder(this.root)))
          utimesSync(segmentPath(segmentFolder(this.root), name), new Date(), new Date(0));
        const maintenance = new SegmentMaintenance(this.root, {
          segmentBytes: SEGMENT_BYTES,
          importAfterMs: 0,
          onStep,
        });
        try {
          await maintenance.run(() => true);
        } finally {
          await maintenance.close();
        }
      } else {
        const trash = new SegmentTrash(this.root, { onStep });
        try {
          if (kind === 'restore') await trash.restore(names);
          else await trash[kind](names);
        } finally {
          await trash.close();
        }
      }
      return false;
    } catch (error) {
      if (error instanceof Crash) return true;
      throw error;
    }
  }

  async check(): Promise<void> {
    const driver = new SegmentDriver(this.root);
    for (const [at, { sha256, packed }] of BODIES.entries()) {
      const read = await driver.read(sha256);
      const expected = this.expected[at] ?? new Set();
      if (read !== undefined) expect(Buffer.from(read)).toEqual(packed);
      const now = [...expected].filter((state) => (state === 'missing') === (read === undefined));
      expect({ body: at, read: read !== undefined, states: now.length > 0 }).toMatchObject({ states: true });
      this.expected[at] = new Set(now);
    }
    await driver.close();
  }
}

/** What a confirmed operation makes of a body. */
const CHANGES: Readonly<Record<Operation['kind'], Readonly<Record<State, State>>>> = {
  write: { missing: 'stored', stored: 'stored', in_trash: 'stored' },
  discard: { missing: 'missing', stored: 'in_trash', in_trash: 'in_trash' },
  restore: { missing: 'missing', stored: 'stored', in_trash: 'stored' },
  purge: { missing: 'missing', stored: 'stored', in_trash: 'missing' },
  maintain: { missing: 'missing', stored: 'stored', in_trash: 'in_trash' },
};

it('keeps every confirmed body and no purged one, whatever operation ends at whatever step', async () => {
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 25 }), async (operations) => {
      runs += 1;
      const machine = new Machine(join(base, String(runs)));
      for (const one of operations) {
        await machine.apply(one);
        await machine.check();
      }
      rmSync(machine.root, { recursive: true, force: true });
    }),
    { numRuns: 25 },
  );
}, 120_000);

const CHILD = fileURLToPath(new URL('../../test/crash-child.ts', import.meta.url));

/** Runs the child until it ends itself with SIGKILL. @returns the bodies it confirmed, by what it did with them */
async function killedChild(
  root: string,
  step: Step | 'random',
): Promise<{ kept: string[]; purged: string[]; signal: string }> {
  const child = spawn(process.execPath, ['--conditions=tidemark-source', CHILD, root, step], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<string>((resolve) => child.on('close', (_code, signal) => resolve(signal ?? 'none')));
  if (step === 'random') child.stdout.once('data', () => setTimeout(() => child.kill('SIGKILL'), Math.random() * 500));
  const lines = (await text(child.stdout)).split('\n');
  const named = (word: string) =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));
  return { kept: named('kept'), purged: named('purged'), signal: await ended };
}

describe('a process that is killed', () => {
  it.each(STEPS)('after the step "%s" loses no confirmed body', async (step) => {
    const root = join(base, step.replaceAll(' ', '-'));
    const { kept, purged, signal } = await killedChild(root, step);
    expect(signal).toBe('SIGKILL');
    const driver = new SegmentDriver(root);
    const maintenance = new SegmentMaintenance(root, { sealAfterMs: 0, importAfterMs: 0 });
    for (let round = 0; round < 2; round += 1) {
      for (const sha256 of kept) expect(await driver.read(sha256)).toBeDefined();
      for (const sha256 of purged) expect(await driver.read(sha256)).toBeUndefined();
      await maintenance.run(() => true);
    }
    await maintenance.close();
    await driver.close();
  });

  it('while two processes write, at any moment, loses no confirmed body', async () => {
    const root = join(base, 'two-writers');
    const children = await Promise.all([killedChild(root, 'random'), killedChild(root, 'random')]);
    const driver = new SegmentDriver(root);
    const kept = children.flatMap((child) => child.kept);
    expect(kept.length).toBeGreaterThan(0);
    for (const sha256 of kept) expect(await driver.read(sha256)).toBeDefined();
    await driver.close();
  });
});
