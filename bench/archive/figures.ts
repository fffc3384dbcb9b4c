import { printTable } from '../shared/table.ts';

/** Latency and CPU of a query over many repetitions. */
export interface Times {
  readonly p50: number;
  readonly p95: number;
  /** CPU milliseconds per query, of all processes involved. */
  readonly cpu: number;
}

/**
 * Runs a query `rounds` times in sequence, after five that do not count.
 * @param cpuMs returns the CPU milliseconds used so far by the processes involved
 */
export async function timesOf(
  rounds: number,
  cpuMs: () => number,
  query: (round: number) => Promise<unknown>,
): Promise<Times> {
  const times: number[] = [];
  let before = cpuMs();
  for (let round = -5; round < rounds; round += 1) {
    if (round === 0) before = cpuMs();
    const startedAtMs = performance.now();
    await query(Math.abs(round));
    if (round >= 0) times.push(performance.now() - startedAtMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), cpu: (cpuMs() - before) / rounds };
}

const formatted = (value: number): string => value.toFixed(value < 100 ? 1 : 0);

/** Prints each figure with its goal as it is measured, and all of them at the end. */
export class Figures {
  readonly #rows: string[][] = [];

  add(what: string, figure: string, goal = '', holds?: boolean): void {
    const row = [what, figure, goal, holds === undefined ? '' : holds ? 'met' : 'MISSED'];
    this.#rows.push(row);
    console.log(`  ${row.filter((cell) => cell !== '').join(' | ')}`);
  }

  rate(what: string, perSecond: number, unit: string, least: number): void {
    this.add(what, `${formatted(perSecond)} ${unit}`, `>= ${least}`, perSecond >= least);
  }

  times(what: string, { p50, p95, cpu }: Times, p95Most?: number): void {
    const figure = `p50 ${formatted(p50)}, p95 ${formatted(p95)}, cpu ${formatted(cpu)} ms`;
    if (p95Most === undefined) this.add(what, figure);
    else this.add(what, figure, `p95 <= ${p95Most} ms`, p95 <= p95Most);
  }

  print(): void {
    console.log('');
    printTable(['what', 'figure', 'goal', ''], this.#rows);
  }
}
