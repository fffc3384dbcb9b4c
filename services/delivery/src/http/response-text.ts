/** Characters of an answer that are kept. */
const MAX_CHARACTERS = 500;

/** Control and formatting characters, line breaks among them: nobody's terminal or page is to obey an answer. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu;

/** How an answer began, as plain text on one line. A character that was cut in two at the end is left out. */
export function responseText(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8').decode(bytes).replace(/\ufffd$/u, '');
  const plain = text.replace(INVISIBLE, ' ').replace(/ {2,}/g, ' ').trim();
  return [...plain].slice(0, MAX_CHARACTERS).join('');
}
