import { isGeneratedName } from '../markup/generated-names.ts';

/** What a selector holds on to, from what lasts longest to what the next release breaks. */
export const SELECTOR_STYLES = ['id', 'mark', 'semantic', 'class', 'scoped', 'part', 'place', 'made'] as const;
export type SelectorStyle = (typeof SELECTOR_STYLES)[number];

/** Tags that say what they hold. */
export const SEMANTIC_TAGS: ReadonlySet<string> = new Set(
  'main article section aside header footer nav h1 table form figure blockquote time address dl details'.split(' '),
);

/** How sure a selector of each style is to find the same place in the next release. */
export const STYLE_TRUST: Readonly<Record<SelectorStyle, number>> = {
  id: 1,
  mark: 1,
  semantic: 1,
  class: 0.99,
  scoped: 0.97,
  part: 0.94,
  place: 0.8,
  made: 0.7,
};

/** The style of any selector: that of its weakest step. */
export function styleOf(selector: string): SelectorStyle {
  const bare = selector.replace(/\[[^\]]*\]/g, '');
  const names = [...bare.matchAll(/[.#]((?:\\.|[\w-]|[^\0-\x7f])+)/g)].map((match) =>
    (match[1] ?? '').replace(/\\/g, ''),
  );
  if (names.some(isGeneratedName)) return 'made';
  if (/:nth-|:first-|:last-/.test(bare)) return 'place';
  if (/\[(?:class|id)\s*[*^$~|]=/.test(selector)) return 'part';
  if (/[\s>+~,]/.test(bare.trim())) return 'scoped';
  if (bare.includes('#')) return 'id';
  if (selector.includes('[')) return 'mark';
  if (bare.includes('.')) return 'class';
  return SEMANTIC_TAGS.has(bare.trim().toLowerCase()) ? 'semantic' : 'place';
}
