/** Media types whose bytes are text that can be read as a page, by their essence (WHATWG MIME Sniffing 4.3). */
const READABLE =
  /^(text\/|application\/(xhtml\+xml|xml|json|javascript|ld\+json|rss\+xml|atom\+xml|[\w.-]+\+(xml|json)))/i;
/** Types servers use when they don't know. */
const UNTOLD = /^(application\/octet-stream|application\/x-download|binary\/octet-stream|unknown\/unknown)?$/i;
const SNIFFED_BYTES = 1_024;

/** `text/html; charset=utf-8` without its parameters. */
export const essenceOf = (contentType: string | undefined): string =>
  (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/** Control bytes no text holds: the binary data bytes of WHATWG MIME Sniffing 3, UTF-16's zeros excepted where a mark announces them. */
function looksBinary(body: Uint8Array): boolean {
  const [first, second] = body;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return false;
  return body
    .subarray(0, SNIFFED_BYTES)
    .some((byte) => byte <= 8 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f));
}

const isPdf = (body: Uint8Array): boolean => String.fromCharCode(...body.subarray(0, 5)) === '%PDF-';

/** Whether an answer can be read as a page at all. What servers say is believed, except where they say nothing. */
export function isReadable(contentType: string | undefined, body: Uint8Array): boolean {
  const essence = essenceOf(contentType);
  if (UNTOLD.test(essence)) return !looksBinary(body) && !isPdf(body);
  return READABLE.test(essence);
}
