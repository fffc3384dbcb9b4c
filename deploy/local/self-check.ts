import type { Credentials } from './credentials.ts';
import { asObject } from './json-file.ts';
import { Problem } from './problem.ts';

/** Result of the capture of one page of the sample site. */
export interface SelfCheck {
  readonly page: string;
  readonly verdict: string;
  readonly credits: number;
  readonly tookMs: number;
  readonly markdown: string;
}

const TIMEOUT_SECONDS = 30;

/** Captures one page of the sample site through the whole fleet, as a user would. */
export async function selfCheck({ url, key }: Credentials, page: string): Promise<SelfCheck> {
  const startedAt = performance.now();
  const response = await fetch(`${url}/v1/scrape`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: page, formats: 'markdown', timeout: TIMEOUT_SECONDS }),
    signal: AbortSignal.timeout((TIMEOUT_SECONDS + 10) * 1000),
  });
  const text = await response.text();
  const tookMs = Math.round(performance.now() - startedAt);
  if (response.status !== 200) throw new Problem(refused(page, response.status, text));
  return { page, tookMs, ...outcome(text) };
}

function outcome(text: string): Pick<SelfCheck, 'verdict' | 'credits' | 'markdown'> {
  const { creditsUsed, data } = asObject(JSON.parse(text));
  const { verdict, markdown } = asObject(Array.isArray(data) ? data[0] : undefined);
  return {
    verdict: typeof verdict === 'string' ? verdict : 'unknown',
    credits: typeof creditsUsed === 'number' ? creditsUsed : 0,
    markdown: typeof markdown === 'string' ? markdown : '',
  };
}

const refused = (page: string, status: number, text: string): string =>
  `The self-check requested ${page} and got ${status}; expected 200: ${text.slice(0, 300)}. The services' logs are in .tidemark/logs.`;
