import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PageBlocks } from '@tidemark/contracts/page/v1/blocks';
import { comparePages } from '../../services/diff/src/compare/compare-pages.ts';
import type { PageDelta } from '../../services/diff/src/domain/page-delta.ts';
import { isMain } from '../../services/diff/src/volatility/block-traits.ts';
import { Addresses } from '../../services/scrape/src/content/address.ts';
import { contentHash } from '../../services/scrape/src/content/blocks/content-hash.ts';
import { cutBlocks } from '../../services/scrape/src/content/blocks/cut-blocks.ts';
import { applyFilters } from '../../services/scrape/src/content/filters.ts';
import { readHead } from '../../services/scrape/src/content/head.ts';
import { measurePage } from '../../services/scrape/src/content/measure.ts';
import { parsePage } from '../../services/scrape/src/content/parse-page.ts';
import { USUAL_CONTENT } from '../../services/scrape/src/content/read-page.ts';
import { Selection } from '../../services/scrape/src/content/select.ts';
import { CORPORA } from './content-corpora.ts';

export const CHANGES = join(CORPORA, 'changes');
export const hasChanges = (): boolean => existsSync(CHANGES);

export interface PageSource {
  readonly html: string;
  readonly url: string;
  /** What of the page is wanted, as a selector; empty: all of it. */
  readonly select?: string;
}

/** A page's blocks, cut as a capture cuts them. */
export function readingOf({ html, url, select = '' }: PageSource): PageBlocks {
  const page = parsePage(html, true);
  measurePage(page);
  const addresses = new Addresses(page, url);
  const selection = new Selection(page);
  applyFilters(page, USUAL_CONTENT, selection);
  const within = select === '' ? undefined : selection.all(select, 'select');
  return cutBlocks({ page, addresses, head: readHead(page, addresses), within });
}

/** Two readings of a page, and what a change record would make of them. */
export interface PairOutcome {
  readonly delta: PageDelta;
  readonly milliseconds: number;
  /** Its content was changed, as far as one pair can tell: nothing is learned of what changes by itself. */
  readonly isModified: boolean;
  /** Or something its head says. */
  readonly isModifiedWithHead: boolean;
}

export function comparePair(before: PageBlocks, after: PageBlocks): PairOutcome {
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

/** Unpacks an archive of the corpora for as long as `use` takes. */
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

/** A figure beside what it is to reach. */
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
