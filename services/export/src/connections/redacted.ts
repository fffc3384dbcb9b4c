const MAX_CHARS = 2_000;
/** Shorter secrets would replace parts of ordinary words. */
const MIN_SECRET = 4;

/** Returns a text of a provider in one line of at most 2,000 characters, with secrets that it repeats replaced. */
export function redacted(text: string, secrets: readonly string[]): string {
  const known = secrets.filter((secret) => secret.length >= MIN_SECRET);
  return known
    .reduce((left, secret) => left.replaceAll(secret, '…'), text.toWellFormed())
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim()
    .slice(0, MAX_CHARS)
    .toWellFormed();
}
