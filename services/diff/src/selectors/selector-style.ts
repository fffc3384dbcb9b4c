import { isGeneratedName } from '../markup/generated-names.ts';

/** What a selector depends on, from the most to the least stable. */
export const SELECTOR_STYLES = [
  'id',
  'attribute',
  'semantic',
  'class',
  'scoped',
  'part',
  'structure',
  'generated',
] as const;
export type SelectorStyle = (typeof SELECTOR_STYLES)[number];

/** Tags that describe their content. */
export const SEMANTIC_TAGS: ReadonlySet<string> = new Set(
  'main article section aside header footer nav h1 table form figure blockquote time address dl details'.split(' '),
);

/** Confidence that a selector of each style matches the same element after the next release. */
export const STYLE_TRUST: Readonly<Record<SelectorStyle, number>> = {
  id: 1,
  attribute: 1,
  semantic: 1,
  class: 0.99,
  scoped: 0.97,
  part: 0.94,
  structure: 0.8,
  generated: 0.7,
};

/** Returns the style of a selector: that of its least stable step. */
export function styleOf(selector: string): SelectorStyle {
  const bare = selector.replace(/\[[^\]]*\]/g, '');
  const names = [...bare.matchAll(/[.#]((?:\\.|[\w-]|[^\0-\x7f])+)/g)].map((match) =>
    (match[1] ?? '').replace(/\\/g, ''),
  );
  if (names.some(isGeneratedName)) return 'generated';
  if (/:nth-|:first-|:last-/.test(bare)) return 'structure';
  if (/\[(?:class|id)\s*[*^$~|]=/.test(selector)) return 'part';
  if (/[\s>+~,]/.test(bare.trim())) return 'scoped';
  if (bare.includes('#')) return 'id';
  if (selector.includes('[')) return 'attribute';
  if (bare.includes('.')) return 'class';
  return SEMANTIC_TAGS.has(bare.trim().toLowerCase()) ? 'semantic' : 'structure';
}
