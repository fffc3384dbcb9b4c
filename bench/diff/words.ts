import { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { ComparePool } from '../../services/diff/src/comparison/compare-pool.ts';
import { StoredBlocks } from '../../services/diff/src/comparison/stored-blocks.ts';
import type { Figures } from '../archive/figures.ts';
import { readingOf } from '../changes/compare-readings.ts';
import { loadNow } from '../crawl/cost.ts';
import { integerOf, type Random, randomOf } from '../shared/random.ts';
import { headingOf, paragraphOf, wordsOf } from '../site/words.ts';
import { hostilePairs } from './hostile-pairs.ts';

const WORDS_MS = 200;
const CAP_MS = 5_000;
const ROUNDS = 5;
const PAIRS = 10;
const PARAGRAPHS = 150;
/** Share of the paragraphs that is edited. */
const EDITED = 0.33;

interface Pair {
  readonly name: string;
  readonly before: PageBlocks;
  readonly after: PageBlocks;
}

/** Compares versions of long texts and pairs made to be slow, on diff's worker threads. */
export async function measureWords(figures: Figures): Promise<void> {
  const pool = new ComparePool({ threads: 1 });
  try {
    await compareEdited(figures, pool, termsPairs());
    for (const pair of hostilePairs()) await compareHostile(figures, pool, pair);
  } finally {
    await pool.close();
  }
}

/** Edits a paragraph: words are replaced, or the paragraph is replaced as a whole, cut into two, or left out. */
function edited(text: string, next: Random): string[] {
  const words = text.split(' ');
  const place = integerOf(next, 0, words.length - 1);
  const kind = integerOf(next, 0, 3);
  if (kind === 0) return [];
  if (kind === 1) return [words.slice(0, place).join(' '), words.slice(place).join(' ')];
  if (kind === 2) return [paragraphOf(next)];
  return [words.toSpliced(place, 4, wordsOf(next, 5)).join(' ')];
}

/** Versions of terms of use, some 50 KB of text each; a third of the paragraphs is edited. */
function termsPairs(): Pair[] {
  return Array.from({ length: PAIRS }, (_, seed): Pair => {
    const next = randomOf(seed + 1);
    const before = Array.from({ length: PARAGRAPHS }, () => paragraphOf(next));
    const after = before.flatMap((text) => (next() < EDITED ? edited(text, next) : [text]));
    const reading = (texts: readonly string[]): PageBlocks => {
      const parts = texts.map((text, at) =>
        at % 9 === 0 ? `<h2>${headingOf(randomOf(at))}</h2><p>${text}</p>` : `<p>${text}</p>`,
      );
      return readingOf({
        html: `<html><body><main>${parts.join('')}</main></body></html>`,
        url: 'https://example.com/',
      });
    };
    return { name: `pair ${seed + 1}`, before: reading(before), after: reading(after) };
  });
}

async function compareEdited(figures: Figures, pool: ComparePool, pairs: readonly Pair[]): Promise<void> {
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
    `word diff of long terms (${pairs.length} edits), slowest, at load ${loadNow()}`,
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
  const response = isDegraded ? 'degraded' : 'whole';
  figures.add(
    `${name}, at load ${loadNow()}`,
    `${(ms / 1_000).toFixed(2)} s, ${response}, ${blocks.length} blocks`,
    `<= ${CAP_MS / 1_000} s, or capped there`,
    ms <= CAP_MS,
  );
}
