/** Something that the palette opens. */
export interface Entry {
  readonly group: string;
  readonly text: string;
  readonly detail: string;
  readonly open: () => void;
}

const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** Returns 0 for a match at the start of the text, 1 at the start of a word, 2 anywhere; undefined for no match of every word. */
function rankOf({ text, detail }: Entry, parts: readonly string[]): number | undefined {
  const name = fold(text);
  const whole = `${name} ${fold(detail)}`;
  if (!parts.every((part) => whole.includes(part))) return undefined;
  const [first = ''] = parts;
  if (name.startsWith(first)) return 0;
  return ` ${whole}`.includes(` ${first}`) ? 1 : 2;
}

/** Returns the entries that contain every word of a text, best first. Accents and case are ignored. */
export function matching(entries: readonly Entry[], text: string): readonly Entry[] {
  const parts = fold(text)
    .split(/\s+/)
    .filter((part) => part !== '');
  if (parts.length === 0) return entries;
  return entries
    .flatMap((entry) => {
      const rank = rankOf(entry, parts);
      return rank === undefined ? [] : [{ entry, rank }];
    })
    .sort((one, other) => one.rank - other.rank)
    .map(({ entry }) => entry);
}
