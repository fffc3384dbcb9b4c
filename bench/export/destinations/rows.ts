import { column, type DatasetColumn, nullable } from '@tidemark/api';
import type {
  SyncAttempt,
  SyncBatch,
  SyncPlan,
  SyncRow,
  SyncSource,
} from '../../../services/export/src/destinations/driver.ts';
import { markdownOf } from '../store-pages.ts';

const BATCH = 1_000;
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
  // Read back from bytes, as the texts of received messages are: a text that was joined from parts is slow when it is read first.
  const markdown = Buffer.from(markdownOf(number)).toString();
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
    ...{ syncId: `syn_bench${syncs}`, projectId: 'prj_bench', dataset: 'markdown', runId: `run_${syncs}` },
    ...{ runAt: new Date(AT.getTime() + syncs * 1_000), table: 'pages', mode: 'upsert', columns: COLUMNS },
    ...{
      isFullRun: true,
      isWholeSite: true,
      freeze: false,
      files: { path: 'bench', format: 'jsonl', compression: 'none' },
    },
    ...more,
  };
}

export const attempt = (): SyncAttempt => ({
  ...{
    signal: new AbortController().signal,
    parts: [],
    recordPart: async () => undefined,
    reportProgress: () => undefined,
  },
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

export async function measure(run: () => Promise<unknown>): Promise<Measured> {
  globalThis.gc?.();
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

/** Runs of the small size before the large one: V8 and malloc then have the space that a run of any size uses again. */
const WARMING = 4;

/** Returns by how much the peak of RSS of a large run exceeds the highest of several small ones just before it, MB. */
export async function measureGrowth(
  run: (rows: number) => Promise<unknown>,
  rows: number,
  large: number,
): Promise<number> {
  let small = 0;
  for (let round = 0; round < WARMING; round += 1) small = Math.max(small, (await measure(() => run(rows))).peakRssMb);
  return Math.max(0, (await measure(() => run(large))).peakRssMb - small);
}
