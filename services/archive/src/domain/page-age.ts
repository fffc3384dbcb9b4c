const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const TIME_CHARS = 10;

/** Returns the lower bound of page ids generated from `at` on. Ids are UUIDv7 in Crockford's base 32, so they begin with their time. */
export function oldestIdAt(at: Date): string {
  let ms = at.getTime();
  let text = '';
  for (let i = 0; i < TIME_CHARS; i += 1) {
    text = `${ALPHABET[ms % 32] ?? ''}${text}`;
    ms = Math.floor(ms / 32);
  }
  return `cap_${text}`;
}
