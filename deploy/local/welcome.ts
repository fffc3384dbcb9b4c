import { isAbsolute } from 'node:path';
import type { EnsuredCredentials } from './credentials.ts';
import type { SelfCheck } from './self-check.ts';

const LINES_SHOWN = 6;

/** Returns the output after a successful self-check. */
export function selfCheckText({ page, verdict, credits, tookMs, markdown }: SelfCheck): string {
  const lines = markdown.split('\n').filter((line) => line.trim() !== '');
  return [
    '',
    `  Self-check: ${page}`,
    `  verdict ${verdict}, ${credits} ${credits === 1 ? 'credit' : 'credits'}, ${tookMs} ms`,
    '',
    ...lines.slice(0, LINES_SHOWN).map((line) => `    ${line.slice(0, 100)}`),
    ...(lines.length > LINES_SHOWN ? ['    ...'] : []),
  ].join('\n');
}

/** Returns the line that sets KEY in the shell that the lines below it are pasted into, so that no key is in the output. */
const readKey = (file: string): string => `KEY=$(node -p 'require("${isAbsolute(file) ? file : `./${file}`}").key')`;

/**
 * Returns the addresses and commands to paste. The key is printed on a terminal only, by the start that created it: output that is
 * stored (logs of a service manager, of a container, of CI) never contains it.
 */
export function welcomeText(credentials: EnsuredCredentials, page: string, isTerminal: boolean): string {
  const { url, key, isNew, file } = credentials;
  const isShown = isNew && isTerminal;
  return [
    '',
    `  Console ${url}/`,
    `  API    ${url}/v1`,
    `  Docs   ${url}/v1/docs`,
    ...(isShown ? [`  Key    ${key}`, `         (shown this once; it is kept in ${file})`] : [`  Key    in ${file}`]),
    ...setupLines(credentials, isTerminal),
    '',
    '  Try it:',
    '',
    `  ${readKey(file)}`,
    `  curl -s ${url}/v1/scrape -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '${JSON.stringify({ url: page, formats: 'markdown' })}'`,
    '',
    '  Ctrl-C stops everything. `npm run memory` shows what it takes.',
  ].join('\n');
}

/** Returns the address for agents. It stays the same from start to start while its port is free. */
export const agentsText = (mcpUrl: string): string =>
  `  Agents: ${mcpUrl} (Model Context Protocol; with the key, or OAuth after the first account)`;

/**
 * Returns the link that makes the first owner, with the same rule as the key. It works once, and each start makes a new one. Once there is
 * an owner, a link that signs in without a password would be a way around it: the lines then hold the address of the sign-in page.
 */
function setupLines({ url, setupUrl, file }: EnsuredCredentials, isTerminal: boolean): string[] {
  if (setupUrl === '')
    return [
      `  Owner  signs in at ${url}/auth/login`,
      '         (the first account exists; a lost password: npm run reset-link -- <its address>)',
    ];
  return isTerminal
    ? [`  Owner  ${setupUrl}`, '         (creates the first account; works once, for a day)']
    : [`  Owner  the link that creates the first account is in ${file}`];
}

/** Returns the links to the change record of the sample project. */
export function sampleProjectText({ url, file }: EnsuredCredentials, project: string): string {
  return [
    '',
    `  A sample project is there, with a run over each edition of the sample site: ${project}`,
    '',
    `  ${readKey(file)}`,
    `  curl -s '${url}/v1/projects/${project}/changes' -H "Authorization: Bearer $KEY"`,
  ].join('\n');
}
