/** Bytes of a robots.txt that are read; the rest is ignored. RFC 9309 2.5 requires at least 500 KiB. */
export const MAX_ROBOTS_BYTES = 500 * 1024;

/** Decodes the file: UTF-8 (RFC 9309 2.2), or by its byte order mark. Drops the line that the size limit cuts. */
export function robotsText(bytes: Uint8Array): string {
  const text = new TextDecoder(charsetOf(bytes)).decode(bytes.subarray(0, MAX_ROBOTS_BYTES));
  return bytes.length <= MAX_ROBOTS_BYTES ? text : text.slice(0, Math.max(0, text.search(/[\r\n][^\r\n]*$/)));
}

function charsetOf([first, second]: Uint8Array): string {
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : 'utf-8';
}
