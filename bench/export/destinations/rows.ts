import { column, type DatasetColumn, nullable } from '@tidemark/datasets';
import type {
  SyncAttempt,
  SyncBatch,
  SyncPlan,
  SyncRow,
  SyncSource,
} from '../../../services/export/src/destinations/driver.ts';
import type { Figures } from '../../archive/figures.ts';
import { markdownOf } from '../store-pages.ts';

/** Pages that the service reads at a time (services/export/src/download/page-batches.ts). */
const BATCH = 200;
/** Different texts, as bytes: a row decodes its text, as that of a received message is decoded, and making it costs no more memory. */
const TEXTS = Array.from({ length: 1_000 }, (_, number) => Buffer.from(markdownOf(number)));
const AT = new Date('2026-03-04T05:06:07.000Z');

export const COLUMNS: readonly DatasetColumn[] = [
  column('url', 'text', ''),
  nullable('title', 'text', ''),
  nullable('words', 'int', ''),
  nullable('ok', 'bool', ''),
  nullable('crawled', 'time', ''),
  nullable('head', 'json', ''),
  nullable('markdown', 'text', ''),
];

function rowOf(number: number): SyncRow {
  const url = `https://site.example/section-${number % 50}/page-${number}`;
  const head = { description: `What page ${number} is about`, lang: 'en' };
  const markdown = TEXTS[number % TEXTS.length]?.toString() ?? '';
  const values = {
    url,
    title: `Page ${number}`,
    words: markdown.length / 6,
    ok: true,
    crawled: AT.toISOString(),
    head,
    markdown,
  };
  return { key: [url], values: { ...values, words: Math.floor(values.words) }, crawledAt: AT };
}

/** A source of generated rows with 5 KB of markdown each; a batch is generated when it is read. */
export const generatedRows = (count: number): SyncSource => ({
  async *read(after) {
    for (let from = after; from < count; from += BATCH) {
      const size = Math.min(BATCH, count - from);
      yield { rows: Array.from({ length: size }, (_, index) => rowOf(from + index)), last: from + size };
    }
  },
});

/** As `generatedRows`, with every batch in memory before the clock starts. */
export async function readyRows(count: number): Promise<SyncSource> {
  const batches: SyncBatch[] = [];
  for await (const batch of generatedRows(count).read(0)) batches.push(batch);
  return {
    async *read(after) {
      for (const batch of batches) if (batch.last > after) yield batch;
    },
  };
}

let syncs = 0;

export function planOf(more: Partial<SyncPlan>): SyncPlan {
  syncs += 1;
  return {
    syncId: `syn_bench${syncs}`,
    projectId: 'prj_bench',
    dataset: 'markdown',
    runId: `run_${syncs}`,

    runAt: new Date(AT.getTime() + syncs * 1_000),
    table: 'pages',
    mode: 'upsert',
    columns: COLUMNS,

    isFullRun: true,
    isWholeSite: true,
    freeze: false,
    files: { path: 'bench', format: 'jsonl', compression: 'none' },
    ...more,
  };
}

export const attempt = (): SyncAttempt => ({
  signal: new AbortController().signal,
  parts: [],
  recordPart: async () => undefined,
  reportProgress: () => undefined,
});

/** What one measured action took. */
export interface Measured {
  readonly seconds: number;
  /** CPU milliseconds of this process. */
  readonly cpuMs: number;
  /** Peak RSS, MB. */
  readonly peakRssMb: number;
}

const SAMPLE_MS = 20;

/** Measures an action, by default after a forced collection. */
export async function measure(run: () => Promise<unknown>, { collect = true } = {}): Promise<Measured> {
  if (collect) globalThis.gc?.();
  let peak = process.memoryUsage.rss();
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss());
  }, SAMPLE_MS);
  const cpu = process.cpuUsage();
  const startedAtMs = performance.now();
  try {
    await run();
  } finally {
    clearInterval(timer);
  }
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - startedAtMs) / 1_000;
  return { seconds, cpuMs: (user + system) / 1_000, peakRssMb: peak / 1e6 };
}

/** Small runs, each after a forced collection. */
const COLD_RUNS = 4;
/** Interval of forced collections, ms. */
const COLLECT_MS = 250;

/** By how much the memory of one large run exceeds that of small ones, MB. */
export interface Growth {
  /** Of the peak of RSS, over small runs with as many rows together: both have the garbage and the free pages that V8 keeps in a busy process. */
  readonly peakMb: number;
  /** Of the peak of RSS, over small runs that each begin after a forced collection. */
  readonly coldMb: number;
  /** Of the memory in use after collections that are forced during the run. */
  readonly liveMb: number;
}

export async function measureGrowth(
  run: (rows: number) => Promise<unknown>,
  rows: number,
  large: number,
): Promise<Growth> {
  const peakOf = async (runs: number, collect: boolean): Promise<number> => {
    let peak = 0;
    for (let round = 0; round < runs; round += 1)
      peak = Math.max(peak, (await measure(() => run(rows), { collect })).peakRssMb);
    return peak;
  };
  const cold = await peakOf(COLD_RUNS, true);
  const busy = Math.max(cold, await peakOf(Math.ceil(large / rows), false));
  const { peakRssMb } = await measure(() => run(large), { collect: false });
  const live = await measureLive(() => run(rows));
  const largeLive = await measureLive(() => run(large));
  return {
    peakMb: Math.max(0, peakRssMb - busy),
    coldMb: Math.max(0, peakRssMb - cold),
    liveMb: Math.max(0, largeLive - live),
  };
}

/** Returns the most memory in use during a run, in the heap and in buffers, MB. */
async function measureLive(run: () => Promise<unknown>): Promise<number> {
  let most = 0;
  const timer = setInterval(() => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    most = Math.max(most, heapUsed + external);
  }, COLLECT_MS);
  try {
    await run();
  } finally {
    clearInterval(timer);
  }
  return most / 1e6;
}

/** Adds the figures of a growth; the goal applies to the peaks of a busy process. */
export function addGrowth(figures: Figures, name: string, { rows, large, growth, goalMb }: GrowthFigures): void {
  const { peakMb, coldMb, liveMb } = growth;
  const what = `${name}: growth of memory from ${rows} to ${large} rows`;
  figures.add(what, `${peakMb.toFixed(0)} MB`, `<= ${goalMb} MB`, peakMb <= goalMb);
  figures.add(`${name}: from ${rows} rows after a forced collection`, `${coldMb.toFixed(0)} MB`);
  figures.add(`${name}: growth of the memory in use, collected every ${COLLECT_MS} ms`, `${liveMb.toFixed(0)} MB`);
}

interface GrowthFigures {
  readonly rows: number;
  readonly large: number;
  readonly growth: Growth;
  readonly goalMb: number;
}
