import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';

const ROOT = resolve(import.meta.dirname, '../..');
const WITHIN_MS = 60_000;

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `pnpm audit`, which sends the versions of the lockfile to the configured registry. */
const audit = (): Promise<Output> =>
  new Promise((done) => {
    const options = { cwd: ROOT, timeout: WITHIN_MS, maxBuffer: 64 * 1024 * 1024 };
    execFile(resolve(ROOT, 'node_modules/.bin/pnpm'), ['audit', '--json'], options, (error, stdout, stderr) =>
      done({ stdout, stderr: stderr || String(error ?? '') }),
    );
  });

/** Returns the advisories of a report, a line each, with their severity first. */
function advisoriesOf(report: unknown): string[] {
  if (typeof report !== 'object' || report === null) return [];
  if ('severity' in report && 'title' in report) {
    const name = 'module_name' in report ? report.module_name : '';
    return [`${report.severity}: ${name} ${report.title} ${'url' in report ? report.url : ''}`];
  }
  return Object.values(report).flatMap(advisoriesOf);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const { stdout, stderr } = await audit();
const report = parsed(stdout);
if (report === undefined)
  console.warn(`no registry audits the dependencies: ${stderr.replaceAll(/\s+/g, ' ').slice(0, 300)}`);

needs('package-registry', report !== undefined, () =>
  test('no dependency of the lockfile has a known vulnerability of high severity', () => {
    const found = advisoriesOf(report);
    if (found.length > 0) console.warn(found.join('\n'));
    expect(found.filter((line) => /^(?:high|critical)/.test(line))).toEqual([]);
  }),
);
