import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { ComparePool } from '../../services/diff/src/compare/compare-pool.ts';
import { StoredBlocks } from '../../services/diff/src/compare/stored-blocks.ts';
import type { Figures } from '../archive/figures.ts';
import { hasChanges, readingOf, unpacked } from '../changes/compare-readings.ts';
import { loadNow } from '../crawl/cost.ts';
import { readCases, textIn } from '../shared/corpora.ts';
import { notMeasured } from '../shared/not-measured.ts';
import { hostilePairs } from './hostile-pairs.ts';

const WORDS_MS = 200;
const CAP_MS = 5_000;
const ROUNDS = 5;

interface Pair {
  readonly name: string;
  readonly before: PageBlocks;
  readonly after: PageBlocks;
}

/** Compares real long texts and pairs made to be slow, on diff's worker threads. */
export async function measureWords(figures: Figures): Promise<void> {
  const pool = new ComparePool({ threads: 1 });
  try {
    if (hasChanges()) await compareReal(figures, pool, await termsPairs());
    else notMeasured('real edits', 'the labelled pairs are not installed');
    for (const pair of hostilePairs()) await compareHostile(figures, pool, pair);
  } finally {
    await pool.close();
  }
}

/** Versions of one site's terms, some 50 KB of text each. */
const termsPairs = (): Promise<Pair[]> =>
  unpacked('ota-demo/html.tar.xz', (folder) =>
    readCases('changes/ota-demo/pairs.json')
      .filter((entry) => textIn(entry, 'path').startsWith('UptimeRobot/Terms') && textIn(entry, 'kind') === 'change')
      .map((entry) => {
        const reading = (side: string): PageBlocks =>
          readingOf({
            html: readFileSync(join(folder, textIn(entry, side)), 'utf8'),
            url: textIn(entry, 'url') || 'https://example.com/',
          });
        return { name: textIn(entry, 'a_date'), before: reading('a'), after: reading('b') };
      }),
  );

async function compareReal(figures: Figures, pool: ComparePool, pairs: readonly Pair[]): Promise<void> {
  const slowest = { ms: 0, name: '' };
  for (const { name, before, after } of pairs) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const startedAtMs = performance.now();
      const { isDegraded } = await pool.compareNow(before, after);
      if (isDegraded) figures.add(`terms of ${name}`, 'degraded', 'whole', false);
      times.push(performance.now() - startedAtMs);
    }
    const median = times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
    if (median > slowest.ms) Object.assign(slowest, { ms: median, name });
  }
  figures.add(
    `word diff of real terms (UptimeRobot, ${pairs.length} edits), slowest, at load ${loadNow()}`,
    `${slowest.ms.toFixed(0)} ms (${slowest.name})`,
    `<= ${WORDS_MS} ms`,
    slowest.ms <= WORDS_MS,
  );
}

/** Encodes blocks as the archive returns them. */
const stored = (page: PageBlocks): StoredBlocks => new StoredBlocks(PageBlocks.encode(page).finish());

async function compareHostile(figures: Figures, pool: ComparePool, pair: Pair): Promise<void> {
  const { name } = pair;
  const [before, after] = [stored(pair.before), stored(pair.after)];
  const startedAtMs = performance.now();
  const { isDegraded, blocks } = await pool.compareNow(before, after);
  const ms = performance.now() - startedAtMs;
  const answer = isDegraded ? 'degraded' : 'whole';
  figures.add(
    `${name}, at load ${loadNow()}`,
    `${(ms / 1_000).toFixed(2)} s, ${answer}, ${blocks.length} blocks`,
    `<= ${CAP_MS / 1_000} s, or capped there`,
    ms <= CAP_MS,
  );
}
