/**
 * Whether a page of this language is wanted: `pt-BR` is Portuguese, and where only `pt-BR` is wanted, `pt` may be it.
 * A page whose language nobody tells is kept, and so is every page where no language is named.
 */
export function isWantedLanguage(language: string | undefined, wanted: readonly string[]): boolean {
  if (!language || wanted.length === 0) return true;
  const tag = spelt(language);
  return wanted.map(spelt).some((want) => tag === want || tag.startsWith(`${want}-`) || want.startsWith(`${tag}-`));
}

/** https://www.rfc-editor.org/rfc/rfc5646#section-2.1.1: case means nothing; underscores are how some systems write it. */
const spelt = (tag: string): string =>
  tag
    .trim()
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^(?:in|iw|ji)(?=-|$)/, (old) => RENAMED[old] ?? old);

/** Codes that were withdrawn and live on in pages. */
const RENAMED: Readonly<Record<string, string>> = { in: 'id', iw: 'he', ji: 'yi' };
