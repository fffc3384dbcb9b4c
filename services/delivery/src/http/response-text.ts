/** Characters of a response that are stored. */
const MAX_CHARACTERS = 500;

/** Control and formatting characters, line breaks included, which could affect a terminal or a page. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** Returns the start of a response as plain text on one line. A character that was cut at the end is left out. */
export function responseText(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8').decode(bytes).replace(/\ufffd$/u, '');
  const plain = text.replace(INVISIBLE, ' ').replace(/ {2,}/g, ' ').trim();
  return [...plain].slice(0, MAX_CHARACTERS).join('');
}
