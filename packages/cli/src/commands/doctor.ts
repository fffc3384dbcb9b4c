import { existsSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { type Context, contextOf } from '../context.ts';
import { EXIT, messageOf } from '../exit.ts';
import { settingsFile } from '../settings.ts';
import { VERSION } from '../version.ts';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly what: string;
}

const TIMEOUT_MS = 10_000;
const MIN_NODE = 20;
/** Difference of clocks from which signatures of webhooks are refused, seconds. */
const MAX_CLOCK_SECONDS = 300;

function localFindings({ access }: Context): Finding[] {
  const major = Number(process.versions.node.split('.')[0]);
  const file = settingsFile(process.env);
  const isPrivate = !existsSync(file) || (statSync(file).mode & 0o077) === 0;
  return [
    { check: 'node', ok: major >= MIN_NODE, what: `${process.versions.node}; ${MIN_NODE} or newer is required` },
    { check: 'settings', ok: isPrivate, what: isPrivate ? file : `${file} can be read by others: chmod 600 ${file}` },
    {
      check: 'key',
      ok: access.apiKey !== '',
      what: access.apiKey === '' ? 'none: run `tidemark login`' : `from ${access.source}`,
    },
  ];
}

/** Checks the base URL without a key, and the clock by the Date header. */
async function serverFindings({ access, signal }: Context): Promise<Finding[]> {
  const startedAt = performance.now();
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    const response = await fetch(`${access.baseUrl}/meta`, { signal: limit });
    await response.arrayBuffer();
    const ms = Math.round(performance.now() - startedAt);
    const date = Date.parse(response.headers.get('date') ?? '');
    const off = Math.round(Math.abs(Date.now() - date) / 1_000);
    const wrong = `${access.baseUrl}/meta answered ${response.status}; the base URL must end in the version prefix, such as /v1`;
    return [
      { check: 'base URL', ok: response.ok, what: response.ok ? `${access.baseUrl} in ${ms} ms` : wrong },
      ...(Number.isNaN(date)
        ? []
        : [{ check: 'clock', ok: off < MAX_CLOCK_SECONDS, what: `differs from the server by ${off} s` }]),
    ];
  } catch (error) {
    const what = `${access.baseUrl} does not answer: ${messageOf(error)}. Check the base URL, the proxy and the firewall.`;
    return [{ check: 'base URL', ok: false, what }];
  }
}

async function accountFinding({ access, client, signal }: Context): Promise<Finding[]> {
  if (access.apiKey === '') return [];
  try {
    const { name, plan, credits, key } = await client().call('GET /me', {
      signal,
      timeoutMs: TIMEOUT_MS,
      maxRetries: 0,
    });
    const remaining = credits.remaining === null ? 'no credit limit' : `${credits.remaining} credits left`;
    const what = `${name}, plan ${plan}, ${remaining}, scopes ${key?.scopes.join(', ') ?? '-'}`;
    return [{ check: 'account', ok: credits.remaining === null || credits.remaining > 0, what }];
  } catch (error) {
    return [{ check: 'account', ok: false, what: `${messageOf(error)}: run \`tidemark login\`` }];
  }
}

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check the installation, the base URL, the key and the clock')
    .action(async (_: object, command: Command) => {
      const context = contextOf(command);
      const server = await serverFindings(context);
      const isReached = server[0]?.ok === true;
      const findings = [...localFindings(context), ...server, ...(isReached ? await accountFinding(context) : [])];
      const { out } = context;
      if (out.isJson) await out.rows(findings, (one) => ({ ...one }));
      else
        for (const { check, ok, what } of findings)
          out.text(`${ok ? 'ok     ' : 'PROBLEM'}  ${check.padEnd(9)} ${what}`);
      out.note(`tidemark ${VERSION}`);
      if (findings.some(({ ok }) => !ok)) process.exitCode = EXIT.failed;
    });
}
