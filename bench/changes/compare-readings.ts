import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { readPage, USUAL_CONTENT } from '@tidemark/page-reader';
import { contentHash } from '@tidemark/page-reader/stages';
import { comparePages } from '../../services/diff/src/comparison/compare-pages.ts';
import type { PageDelta } from '../../services/diff/src/domain/page-delta.ts';
import { isMain } from '../../services/diff/src/volatility/block-traits.ts';
import { CORPORA } from '../shared/corpora.ts';

export const CHANGES = join(CORPORA, 'changes');
export const hasChanges = (): boolean => existsSync(CHANGES);

export interface PageSource {
  readonly html: string;
  readonly url: string;
  /** Selector of the part to read; empty: the whole page. */
  readonly select?: string;
}

/** A page's blocks, cut as a capture cuts them. */
export function readingOf({ html, url, select = '' }: PageSource): PageBlocks {
  const { blocks } = readPage({
    html,
    url,
    content: { ...USUAL_CONTENT, includeSelectors: select === '' ? [] : [select] },
    outputs: new Set(['text']),
    cut: { volatileSelectors: [] },
  });
  if (blocks === undefined) throw new Error('the page was read without blocks');
  return blocks;
}

/** The comparison of two readings of a page. */
export interface PairResult {
  readonly delta: PageDelta;
  readonly milliseconds: number;
  /** The content differs. Volatile blocks are not known, because a pair has no history. */
  readonly isModified: boolean;
  /** The content or a head field differs. */
  readonly isModifiedWithHead: boolean;
}

export function comparePair(before: PageBlocks, after: PageBlocks): PairResult {
  const start = performance.now();
  const delta = comparePages(before, after, { deadlineMs: 5_000 });
  const milliseconds = performance.now() - start;
  const counted = delta.blocks.filter(({ isVolatile, before: old, after: now }) => {
    const block = now ?? old;
    return isVolatile !== true && block !== undefined && isMain(block);
  });
  const isContent = !contentHash(before).equals(contentHash(after)) && counted.length > 0 && !delta.isReordered;
  return { delta, milliseconds, isModified: isContent, isModifiedWithHead: isContent || delta.fields.length > 0 };
}

/** Unpacks an archive of the corpora into a temporary folder while `use` runs. */
export async function unpacked<Result>(
  archive: string,
  use: (folder: string) => Result | Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-changes-'));
  try {
    execFileSync('tar', ['-xJf', join(CHANGES, archive), '-C', folder]);
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A figure and its goal. */
export interface Goal {
  readonly name: string;
  readonly text: string;
  readonly met: boolean;
}

export const atLeast = (name: string, value: number, least: number): Goal => ({
  name: `${name} ≥ ${shown(least)}`,
  text: shown(value),
  met: value >= least,
});

export const atMost = (name: string, value: number, most: number): Goal => ({
  name: `${name} ≤ ${shown(most)}`,
  text: shown(value),
  met: value <= most,
});

const shown = (value: number): string => String(Math.round(value * 1_000) / 1_000);
