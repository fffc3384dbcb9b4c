import { execFile } from 'node:child_process';
import { join } from 'node:path';

const SUITE = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const DEADLINE_MS = 120_000;

/** Both revisions of the protocol that the endpoint answers. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

/**
 * Scenarios of a revision that fail, because they need what this server does not have: requests for input of the client (elicitation,
 * sampling, roots), logging and subscriptions. The suite must fail exactly these. Tools, resources and prompts that other scenarios call are in
 * suite-fixtures.ts.
 */
export const EXPECTED_FAILURES: Readonly<Record<Revision, readonly string[]>> = {
  '2026-07-28': [
    // Most of its 28 checks pass; the others call diagnostic tools that request input of the client.
    'server-stateless',
    ...['input-required-result-basic-elicitation', 'input-required-result-basic-sampling'],
    ...['input-required-result-basic-list-roots', 'input-required-result-request-state'],
    ...['input-required-result-multiple-input-requests', 'input-required-result-multi-round'],
    ...['input-required-result-non-tool-request', 'input-required-result-result-type'],
    ...['input-required-result-tampered-state', 'input-required-result-capability-check'],
  ],
  '2025-11-25': [
    ...['logging-set-level', 'tools-call-with-logging', 'tools-call-sampling', 'tools-call-elicitation'],
    ...['elicitation-sep1034-defaults', 'elicitation-sep1330-enums', 'resources-subscribe', 'resources-unsubscribe'],
  ],
};

/** The result of a run: names of scenarios that count for the revision, and the number of checks. */
export interface Score {
  readonly passed: readonly string[];
  readonly failed: readonly string[];
  readonly checks: { readonly passed: number; readonly failed: number };
}

/** Runs the conformance suite of the protocol against an endpoint. Scenarios of extensions and of drafts do not count. */
export async function runConformance(url: string, revision: Revision): Promise<Score> {
  const output = await new Promise<string>((resolve) => {
    const args = [SUITE, 'server', '--url', url, '--requirements', revision];
    // Its exit code is 1 where a scenario fails.
    const options = { timeout: DEADLINE_MS, maxBuffer: 16_000_000 };
    execFile(process.execPath, args, options, (_error, stdout) => resolve(stdout));
  });
  const summary = output.slice(output.indexOf('=== SUMMARY ==='));
  const unscored = new Set([...summary.matchAll(/[✓✗] ([\w-]+) \(/g)].map(([, name = '']) => name));
  const lines = [...summary.matchAll(/[✓✗] ([\w-]+): (\d+) passed, (\d+) failed/g)]
    .map(([, name = '', passed, failed]) => ({ name, passed: Number(passed), failed: Number(failed) }))
    .filter(({ name }) => !unscored.has(name));
  return {
    passed: lines.filter(({ failed }) => failed === 0).map(({ name }) => name),
    failed: lines.filter(({ failed }) => failed > 0).map(({ name }) => name),
    checks: {
      passed: lines.reduce((sum, { passed }) => sum + passed, 0),
      failed: lines.reduce((sum, { failed }) => sum + failed, 0),
    },
  };
}
