import { hashOf, integerOf, type Random, randomOf } from '../shared/random.ts';
import { type ContentEdit, contentEditAt } from './edits.ts';
import type { SitePlan } from './plan.ts';
import { headingOf, paragraphOf, wordsOf } from './words.ts';

/** What a reader reads on a page of the tree. */
export interface PageDocument {
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** A fee in cents, shown in the text and in the table. */
  readonly fee: number;
  readonly publishedAt: string;
}

const DAY_MS = 86_400_000;
/** The time of the first generation; each further one is a day later. */
const FIRST_MS = Date.UTC(2026, 0, 5, 6);

/** Returns the time of a generation. */
export const timeOf = (generation: number): Date => new Date(FIRST_MS + (generation - 1) * DAY_MS);

function edit(document: PageDocument, kind: ContentEdit, next: Random): PageDocument {
  const { title, paragraphs, fee, publishedAt } = document;
  const place = Math.floor(next() * paragraphs.length);
  const edited = { title, paragraphs, fee, publishedAt };
  if (kind === 'title') return { ...edited, title: headingOf(next) };
  if (kind === 'number') return { ...edited, fee: fee + integerOf(next, 1, 900) };
  if (kind === 'paragraph_added') return { ...edited, paragraphs: paragraphs.toSpliced(place, 0, paragraphOf(next)) };
  if (kind === 'paragraph_removed') return { ...edited, paragraphs: paragraphs.toSpliced(place, 1) };
  const words = (paragraphs[place] ?? '').split(' ');
  const from = integerOf(next, 1, Math.max(1, words.length - 8));
  const count = integerOf(next, 3, 8);
  const changed = words.toSpliced(from, count, wordsOf(next, count));
  return { ...edited, paragraphs: paragraphs.with(place, changed.join(' ')) };
}

/** Returns the document of a tree page in a generation: its first version and every edit since. */
export function documentOf(plan: SitePlan, id: number, generation: number): PageDocument {
  const { seed } = plan.options;
  const next = randomOf(hashOf(seed, 'document', id));
  const first = plan.addedIn(id);
  let document: PageDocument = {
    title: headingOf(next),
    paragraphs: Array.from({ length: integerOf(next, 9, 15) }, () => paragraphOf(next)),
    fee: integerOf(next, 500, 90_000),
    publishedAt: new Date(FIRST_MS - integerOf(next, 1, 900) * DAY_MS).toISOString(),
  };
  for (let step = first + 1; step <= generation; step += 1) {
    const kind = contentEditAt(plan, id, step);
    if (kind !== undefined) document = edit(document, kind, randomOf(hashOf(seed, kind, id, step)));
  }
  return document;
}
