/**
 * Returns the sortable form of a URL (SURT) as indexes of web archives have it: the host with its labels reversed, lower case, without
 * `www.` and the default port, then path and query.
 */
export function surtKey(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url.replace(/\s/g, '%20');
  const host = parsed.hostname.replace(/^www\d*\./, '');
  const isName = /[a-z]/i.test(host) && !host.startsWith('[');
  const reversed = isName ? host.split('.').reverse().join(',') : host;
  const port = parsed.port === '' ? '' : `:${parsed.port}`;
  return `${reversed}${port})${parsed.pathname}${parsed.search}`.toLowerCase();
}
