/** A host name with a dot, localhost or an IPv6 address, with an optional port, before the path, the query or the end. */
const STARTS_WITH_HOST = /^(?:[^\s:/?#@\\[\]]+\.[^\s:/?#@\\[\]]+|localhost|\[[\da-f:.]+\])(?::\d{1,5})?(?:[/?#]|$)/i;

/** Returns a URL whose scheme is missing, such as `example.com/a` or `//example.com/a`, with https. Any other text is returned unchanged. */
export function assumeHttps(text: string): string {
  const address = text.startsWith('//') ? text.slice(2) : text;
  return STARTS_WITH_HOST.test(address) ? `https://${address}` : text;
}
