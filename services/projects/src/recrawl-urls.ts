import { AppError, type FieldFault } from '@tidemark/errors';
import { normalizeUrl, parseWebUrl, sameSite } from '@tidemark/web-url';

const MOST_URLS = 1_000;

/** Addresses to be fetched again, each once, all of the project's site. @throws AppError validation, naming each that is refused */
export function recrawlUrls(urls: readonly string[], seed: string): string[] {
  if (urls.length === 0 || urls.length > MOST_URLS) {
    const msg = `expected 1 to ${MOST_URLS} addresses`;
    const detail = [{ loc: ['body', 'urls'], msg, type: 'urls_refused' }];
    throw new AppError('validation', `urls: ${msg}`, { detail });
  }
  const read = new Set<string>();
  const detail: FieldFault[] = [];
  for (const [place, given] of urls.entries()) {
    const refuse = (msg: string, type: string) => detail.push({ loc: ['body', 'urls', place], msg, type });
    const parsed = parseWebUrl(given);
    if (!parsed.ok) refuse(parsed.reason, 'address_refused');
    else if (!sameSite(parsed.url, seed)) refuse(`${parsed.url.hostname} is not of the project’s site`, 'another_site');
    else read.add(normalizeUrl(parsed.url));
  }
  const [first] = detail;
  if (first === undefined) return [...read];
  throw new AppError('validation', `urls.${first.loc[2]}: ${first.msg}`, { detail });
}
