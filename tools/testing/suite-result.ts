import { readFileSync, writeFileSync } from 'node:fs';
import { isRecord } from '../lints/ast.ts';
import { type Report, skipsByKind, type Tally } from './report.ts';
import { RESULT_FILE, type Suite } from './suites.ts';

/** Result of one suite. */
export interface SuiteResult {
  readonly passed: number;
  readonly failed: number;
  /** Number of skipped tests by kind. */
  readonly skipped: Readonly<Record<string, number>>;
}

export interface SuiteRow {
  readonly suite: Suite;
  readonly result: SuiteResult;
  readonly seconds: number;
}

/** Writes the result of a suite into the file that the environment names, where it names one. */
export function writeResult({ passed, failed }: Tally, report: Report): void {
  const file = process.env[RESULT_FILE];
  if (file === undefined) return;
  const result: SuiteResult = { passed, failed, skipped: skipsByKind(report) };
  writeFileSync(file, JSON.stringify(result));
}

/** Reads the result of a suite. A suite that ended with an error or wrote no result counts at least one failed test. */
export function readResult(file: string, exitCode: number | null): SuiteResult {
  const { passed, failed, skipped } = parsed(file);
  const least = exitCode === 0 && isRecord(skipped) ? 0 : 1;
  return { passed: numberOf(passed), failed: Math.max(numberOf(failed), least), skipped: countsOf(skipped) };
}

/** The summary of several suites: a line for each, with what was skipped by kind. */
export function summaryLines(rows: readonly SuiteRow[]): string[] {
  const lines = [
    ['suite', 'passed', 'failed', 'seconds', 'skipped'],
    ...rows.map(({ suite, result, seconds }) => [
      suite,
      String(result.passed),
      String(result.failed),
      seconds.toFixed(0),
      skippedText(result),
    ]),
  ];
  return lines.map(([suite = '', passed = '', failed = '', seconds = '', skipped = '']) =>
    `${suite.padEnd(22)}${passed.padStart(7)}${failed.padStart(8)}${seconds.padStart(9)}  ${skipped}`.trimEnd(),
  );
}

const skippedText = ({ skipped }: SuiteResult): string =>
  Object.entries(skipped)
    .map(([kind, tests]) => `${tests} × ${kind}`)
    .join(', ') || '0';

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

const countsOf = (value: unknown): Record<string, number> =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).flatMap(([kind, tests]) =>
      typeof tests === 'number' ? [[kind, tests] as const] : [],
    ),
  );

function parsed(file: string): Record<string, unknown> {
  try {
    const result: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isRecord(result) ? result : {};
  } catch {
    return {}; // the suite ended before it could write one
  }
}
