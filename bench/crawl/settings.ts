import type { OwnFleet } from '../../test/harness/fleet.ts';
import { type Cost, loadNow } from './cost.ts';
import type { Scoreboard } from './scoreboard.ts';

/** What every section of the crawl benchmark is given. */
export interface Bench {
  readonly fleet: OwnFleet;
  /** Whether the database counts its statements. */
  readonly counted: boolean;
  readonly pages: number;
  readonly concurrency: number;
  /** Whether Crawlee runs beside ours. */
  readonly crawlee: boolean;
  readonly board: Scoreboard;
}

/** Heads a section, with how busy the machine is as it starts. */
export const head = (title: string): void => console.log(`\n${title} (load ${loadNow()})`);

/** How many cores others may take more beside one run than beside another for their speeds to be compared. */
const EVEN_CORES = 0.25;

/** Whether two runs' speeds can't be compared, for what else the machine had to do. */
export const isUneven = (a: Cost, b: Cost): boolean => Math.abs(a.othersCores - b.othersCores) > EVEN_CORES;

/** A run in one line: speed, CPU, memory, and how much else the machine had to do. */
export function showCost(name: string, pages: number, { seconds, cpuMs, peakMb, othersCores }: Cost): void {
  const each = cpuMs / Math.max(1, pages);
  console.log(
    `  ${name.padEnd(22)} ${String(pages).padStart(6)} pages  ${(pages / seconds).toFixed(1).padStart(6)} pages/s  ` +
      `${each.toFixed(1).padStart(5)} CPU ms a page  ${peakMb.toFixed(0).padStart(5)} MB; ` +
      `others on this machine took ${othersCores.toFixed(2)} cores`,
  );
}
