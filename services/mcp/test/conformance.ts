import { execFile } from 'node:child_process';
import { join } from 'node:path';

const SUITE = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const DEADLINE_MS = 120_000;

/** Both revisions of the protocol that the endpoint answers. */
export const REVISIONS = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof REVISIONS)[number];

const ELICITS =
  'its tool requests input of the person; no tool of Tidemark does: settings are parameters, and consent is given at the OAuth page';
const SAMPLES = 'its tool requests a completion of the client’s model; Tidemark calls models of the workspace only';
const LISTS_ROOTS = 'its tool requests the folders of the client; Tidemark reads no files of the client';
const LOGS =
  'it requires the capability logging; the server announces none, and returns what happened with each result';
const SUBSCRIBES =
  'it requires subscriptions to resources; the server has no resources, and jobs are read with get_job';

/**
 * Scenarios of a revision that fail, each with the reason: they require capabilities that the server does not have and does not announce. The
 * suite must fail exactly these. Tools, resources and prompts that other scenarios call are in suite-fixtures.ts.
 */
export const EXPECTED_FAILURES: Readonly<Record<Revision, Readonly<Record<string, string>>>> = {
  '2026-07-28': {
    'server-stateless':
      'most of its 28 checks pass; the others call diagnostic tools that request input of the client or write log messages',
    'input-required-result-basic-elicitation': ELICITS,
    'input-required-result-basic-sampling': SAMPLES,
    'input-required-result-basic-list-roots': LISTS_ROOTS,
    'input-required-result-request-state': ELICITS,
    'input-required-result-multiple-input-requests': `${ELICITS}; ${SAMPLES}`,
    'input-required-result-multi-round': ELICITS,
    'input-required-result-non-tool-request': `it does so for a prompt: ${ELICITS}`,
    'input-required-result-result-type': ELICITS,
    'input-required-result-tampered-state': ELICITS,
    'input-required-result-capability-check': ELICITS,
  },
  '2025-11-25': {
    'logging-set-level': LOGS,
    'tools-call-with-logging': LOGS,
    'tools-call-sampling': SAMPLES,
    'tools-call-elicitation': ELICITS,
    'elicitation-sep1034-defaults': ELICITS,
    'elicitation-sep1330-enums': ELICITS,
    'resources-subscribe': SUBSCRIBES,
    'resources-unsubscribe': SUBSCRIBES,
  },
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
