import { COUNTED } from '@tidemark/results';

/** Returns the counts of a change record; null until it is made, because zeros would read as "nothing changed". */
export const toCounts = (status: string, counts: Readonly<Record<string, number>>): Record<string, number> | null =>
  status === 'made' ? Object.fromEntries(COUNTED.map((name) => [name, counts[name] ?? 0])) : null;
