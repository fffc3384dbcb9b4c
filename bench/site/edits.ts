import { hashOf, shareOf } from '../shared/random.ts';
import { SECTIONS, type SitePlan } from './plan.ts';

/** Edits of what a reader reads. */
export const CONTENT_EDITS = ['words', 'paragraph_added', 'paragraph_removed', 'title', 'number'] as const;
export type ContentEdit = (typeof CONTENT_EDITS)[number];

/** Differences that are no edit: attributes, the footer of a section, adverts, lists of the latest pages, live counters. */
export type NoiseEdit = 'markup' | 'boilerplate' | 'advert' | 'latest' | 'volatile';
export type LinkEdit = 'children' | 'siblings' | 'related';

const MARKUP = 0.1;
const HAS_ADVERT = 0.15;
const HAS_LATEST = 0.2;
const IS_VOLATILE = 0.05;

const at = (plan: SitePlan, what: string, id: number): number => shareOf(plan.options.seed, what, id);

export const hasAdvert = (plan: SitePlan, id: number): boolean => at(plan, 'advert', id) < HAS_ADVERT;
export const hasLatest = (plan: SitePlan, id: number): boolean => at(plan, 'latest', id) < HAS_LATEST;
/** Returns whether a page shows a counter that differs at every request. */
export const isVolatile = (plan: SitePlan, id: number): boolean => id > 0 && at(plan, 'volatile', id) < IS_VOLATILE;

/** Returns the edit of a page in the step to a generation. */
export function contentEditAt(plan: SitePlan, id: number, generation: number): ContentEdit | undefined {
  const { seed, edited } = plan.options;
  if (generation <= plan.addedIn(id) || shareOf(seed, 'edit', generation, id) >= edited) return undefined;
  return CONTENT_EDITS[hashOf(seed, 'edit kind', generation, id) % CONTENT_EDITS.length];
}

/** Returns the generation of the last edit of a page, or the one that added it. */
export function editedIn(plan: SitePlan, id: number, generation: number): number {
  for (let step = generation; step > plan.addedIn(id); step -= 1)
    if (contentEditAt(plan, id, step) !== undefined) return step;
  return plan.addedIn(id);
}

/** Returns whether the attributes of a page change in the step to a generation. */
export const isMarkupEdited = (plan: SitePlan, id: number, generation: number): boolean =>
  generation > 1 && shareOf(plan.options.seed, 'markup', generation, id) < MARKUP;

/** Returns the section whose footer changes in the step to a generation. */
export const editedFooter = (generation: number): string => SECTIONS[generation % SECTIONS.length] ?? '';

/** Returns every difference that is no edit between two generations of a page. */
export function noiseBetween(plan: SitePlan, id: number, base: number, generation: number): NoiseEdit[] {
  const steps = Array.from({ length: generation - base }, (_, step) => base + 1 + step);
  const kinds: NoiseEdit[] = [];
  if (steps.some((step) => isMarkupEdited(plan, id, step))) kinds.push('markup');
  if (steps.some((step) => editedFooter(step) === plan.sectionOf(id))) kinds.push('boilerplate');
  if (hasAdvert(plan, id)) kinds.push('advert');
  if (hasLatest(plan, id)) kinds.push('latest');
  if (isVolatile(plan, id)) kinds.push('volatile');
  return kinds;
}

/** Returns the groups of links of a page that differ between two generations. */
export function linkEditsBetween(plan: SitePlan, id: number, base: number, generation: number): LinkEdit[] {
  const [before, after] = [plan.linksOf(id, base), plan.linksOf(id, generation)];
  const groups: readonly LinkEdit[] = ['children', 'siblings', 'related'];
  return groups.filter((group) => before[group].join() !== after[group].join());
}
