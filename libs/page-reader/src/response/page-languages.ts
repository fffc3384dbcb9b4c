/**
 * Returns true if the language is one of the requested ones: `pt-BR` counts as Portuguese, and `pt` is accepted if only
 * `pt-BR` is requested. A page of unknown language is accepted, and so is every page if no language is requested.
 */
export function isAcceptedLanguage(language: string | undefined, accepted: readonly string[]): boolean {
  if (!language || accepted.length === 0) return true;
  const tag = normalizeTag(language);
  return accepted
    .map(normalizeTag)
    .some(
      (acceptedTag) => tag === acceptedTag || tag.startsWith(`${acceptedTag}-`) || acceptedTag.startsWith(`${tag}-`),
    );
}

/** Case is not significant: https://www.rfc-editor.org/rfc/rfc5646#section-2.1.1. Some systems write underscores. */
const normalizeTag = (tag: string): string =>
  tag
    .trim()
    .toLowerCase()
    .replaceAll('_', '-')
    .replace(/^(?:in|iw|ji)(?=-|$)/, (old) => RENAMED[old] ?? old);

/** Withdrawn codes that pages still use. */
const RENAMED: Readonly<Record<string, string>> = { in: 'id', iw: 'he', ji: 'yi' };
