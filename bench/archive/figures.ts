import { printTable } from '../shared/table.ts';

/** What a question took, asked often enough. */
export interface Times {
  readonly p50: number;
  readonly p95: number;
  /** CPU milliseconds of one, of all that worked on it. */
  readonly cpu: number;
}

/**
 * Asks so often, one question after the other, and a few times before that don't count.
 * @param cpuMs what those who answer have used by now
 */
export async function timesOf(
  rounds: number,
  cpuMs: () => number,
  ask: (round: number) => Promise<unknown>,
): Promise<Times> {
  const times: number[] = [];
  let before = cpuMs();
  for (let round = -5; round < rounds; round += 1) {
    if (round === 0) before = cpuMs();
    const startedAtMs = performance.now();
    await ask(Math.abs(round));
    if (round >= 0) times.push(performance.now() - startedAtMs);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), cpu: (cpuMs() - before) / rounds };
}

const said = (value: number): string => value.toFixed(value < 100 ? 1 : 0);

/** Says each figure beside its goal as it is measured, and all of them at the end. */
export class Figures {
  readonly #rows: string[][] = [];

  add(what: string, figure: string, goal = '', holds?: boolean): void {
    const row = [what, figure, goal, holds === undefined ? '' : holds ? 'met' : 'MISSED'];
    this.#rows.push(row);
    console.log(`  ${row.filter((cell) => cell !== '').join(' | ')}`);
  }

  rate(what: string, perSecond: number, unit: string, least: number): void {
    this.add(what, `${said(perSecond)} ${unit}`, `>= ${least}`, perSecond >= least);
  }

  times(what: string, { p50, p95, cpu }: Times, p95Most?: number): void {
    const figure = `p50 ${said(p50)}, p95 ${said(p95)}, cpu ${said(cpu)} ms`;
    if (p95Most === undefined) this.add(what, figure);
    else this.add(what, figure, `p95 <= ${p95Most} ms`, p95 <= p95Most);
  }

  print(): void {
    console.log('');
    printTable(['what', 'figure', 'goal', ''], this.#rows);
  }
}
