import type { OwnFleet } from '../../test/harness/fleet.ts';
import type { SiteScore } from '../site/truth.ts';
import { type Cost, loadNow } from './cost.ts';
import type { CrawleeUse } from './crawlee.ts';
import type { Scoreboard } from './scoreboard.ts';

/** Settings shared by every section of the crawl benchmark. */
export interface Bench {
  readonly fleet: OwnFleet;
  /** Whether the database counts its statements. */
  readonly counted: boolean;
  readonly pages: number;
  readonly concurrency: number;
  readonly crawlee: CrawleeUse;
  readonly board: Scoreboard;
}

/** Returns the pages of one kind that a crawler got, and their total. */
export const kindIn = ({ byKind }: SiteScore, kind: string): { readonly got: number; readonly of: number } =>
  byKind[kind] ?? { got: 0, of: 0 };

/** Prints a section's title and the machine's load. */
export const head = (title: string): void => console.log(`\n${title} (load ${loadNow()})`);

/** Most by which the load of other processes, in cores, may differ between two runs whose speeds are compared. */
const EVEN_CORES = 0.25;

/** Returns whether the load of other processes makes two runs incomparable. */
export const isUneven = (a: Cost, b: Cost): boolean => Math.abs(a.othersCores - b.othersCores) > EVEN_CORES;

/** Prints a run in one line: speed, CPU, memory and the load of other processes. */
export function showCost(name: string, pages: number, { seconds, cpuMs, peakMb, othersCores }: Cost): void {
  const each = cpuMs / Math.max(1, pages);
  console.log(
    `  ${name.padEnd(22)} ${String(pages).padStart(6)} pages  ${(pages / seconds).toFixed(1).padStart(6)} pages/s  ` +
      `${each.toFixed(1).padStart(5)} CPU ms a page  ${peakMb.toFixed(0).padStart(5)} MB; ` +
      `others on this machine took ${othersCores.toFixed(2)} cores`,
  );
}
