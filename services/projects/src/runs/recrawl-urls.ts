import { AppError, type FieldFault } from '@tidemark/errors';
import { normalizeUrl, parseWebUrl, sameSite } from '@tidemark/web-url';

const MAX_URLS = 1_000;

/** Normalises the URLs of a recrawl: each once, all of the project's site. @throws AppError validation that names each refused URL */
export function recrawlUrls(urls: readonly string[], seed: string): string[] {
  if (urls.length === 0 || urls.length > MAX_URLS) {
    const msg = `expected 1 to ${MAX_URLS} URLs`;
    const detail = [{ loc: ['body', 'urls'], msg, type: 'urls_refused' }];
    throw new AppError('validation', `urls: ${msg}`, { detail });
  }
  const accepted = new Set<string>();
  const detail: FieldFault[] = [];
  for (const [index, given] of urls.entries()) {
    const refuse = (msg: string, type: string) => detail.push({ loc: ['body', 'urls', index], msg, type });
    const parsed = parseWebUrl(given);
    if (!parsed.ok) refuse(parsed.reason, 'address_refused');
    else if (!sameSite(parsed.url, seed)) refuse(`${parsed.url.hostname} is not of the project’s site`, 'another_site');
    else accepted.add(normalizeUrl(parsed.url));
  }
  const [first] = detail;
  if (first === undefined) return [...accepted];
  throw new AppError('validation', `urls.${first.loc[2]}: ${first.msg}`, { detail });
}
