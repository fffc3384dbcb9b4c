import type { Report, Tally } from './report.ts';

/** Failed files up to which they are run again. More of them show a defect of the code, not of one test. */
const MOST_REPEATED = 3;

/** Paths of the failed files of a run that are run once more, alone; none where too many failed. */
export function filesToRepeat({ files }: Report): string[] {
  const failed = files.filter(({ tally }) => tally.failed > 0).map(({ path }) => path);
  return failed.length <= MOST_REPEATED ? failed : [];
}

/** The report of a run in which the files of `repeated` count with their second result. */
export function withRepeated(first: Report, repeated: Report): Report {
  const paths = new Set(repeated.files.map(({ path }) => path));
  const replaced = first.files.filter(({ path }) => paths.has(path)).map(({ tally }) => tally);
  const left = (result: keyof Tally): number =>
    first.tally[result] - replaced.reduce((sum, tally) => sum + tally[result], 0) + repeated.tally[result];
  return { ...first, tally: { passed: left('passed'), failed: left('failed'), skipped: left('skipped') } };
}

/** Lines that name the files whose tests failed in the run and passed alone. Such a test is a defect and is to be corrected. */
export function unstableLines(first: Report, repeated: Report): string[] {
  const passedAlone = new Set(repeated.files.filter(({ tally }) => tally.failed === 0).map(({ path }) => path));
  const files = first.files.filter(({ path, tally }) => tally.failed > 0 && passedAlone.has(path));
  return files.map(({ path, tally }) => `UNSTABLE ${path}: ${tally.failed} failed in the whole run, 0 failed alone`);
}
