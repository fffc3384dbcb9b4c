import type { Credentials } from './credentials.ts';
import type { SelfCheck } from './self-check.ts';

const LINES_SHOWN = 6;

/** What is printed once the self-check is through. */
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

/** Where everything is, and a line to paste. */
export function welcomeText({ url, key }: Credentials, page: string): string {
  return [
    '',
    `  API    ${url}/v1`,
    `  Docs   ${url}/v1/docs`,
    `  Key    ${key}`,
    '         (both also in .tidemark/credentials.json)',
    '',
    '  Try it:',
    '',
    `  curl -s ${url}/v1/scrape -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '${JSON.stringify({ url: page, formats: 'markdown' })}'`,
    '',
    '  Ctrl-C stops everything. `npm run memory` shows what it takes.',
  ].join('\n');
}

/** What is there to look at once the sample site has been watched for a while. */
export function sampleProjectText({ url, key }: Credentials, project: string): string {
  return [
    '',
    `  A sample project is there, with a run over each edition of the sample site: ${project}`,
    '',
    `  curl -s '${url}/v1/projects/${project}/changes' -H 'Authorization: Bearer ${key}'`,
  ].join('\n');
}
