import type { Findings, SiteFile, Stop } from './tree.ts';

/** Why nothing of a site could be read. */
export type Refusal = Extract<Stop, 'site_down' | 'refused' | 'robots'>;

/** How a map ends. */
export interface Outcome {
  readonly status: 'done' | 'error';
  readonly stop: Stop | undefined;
}

/** Returns why a response without content was given; undefined if it states that there is no such page. */
export function refusalOf(httpStatus: number): Refusal | undefined {
  if (httpStatus === 404 || httpStatus === 410) return undefined;
  return httpStatus === 0 || httpStatus >= 500 ? 'site_down' : 'refused';
}

/**
 * Decides how a map ends. A map that read nothing fails if the site did not respond, refused what was requested, or disallows it in robots.txt. A
 * site without sitemaps, feeds and links is a result.
 */
export function outcomeOf({
  method,
  stop,
  refusal,
  files,
}: Pick<Findings, 'method' | 'stop' | 'refusal' | 'files'>): Outcome {
  if (method !== 'none' || stop === 'credit_limit') return { status: 'done', stop };
  const reason = refusal ?? refusalOfFiles(files);
  return reason === undefined ? { status: 'done', stop } : { status: 'error', stop: reason };
}

/** Returns why none of the files that the site names could be read; undefined if one was, or does not exist. */
function refusalOfFiles(files: readonly SiteFile[]): Refusal | undefined {
  const reasons = files.map(({ verdict, httpStatus }) => {
    if (verdict === 'blocked') return 'refused';
    // A file that arrived and is damaged was not withheld.
    return verdict === 'failed' && refusalOf(httpStatus) === 'site_down' ? 'site_down' : undefined;
  });
  const [first] = reasons;
  return reasons.every((reason) => reason !== undefined) ? first : undefined;
}
