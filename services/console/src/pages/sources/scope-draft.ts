import type { UnsavedConfig } from '@tidemark/sdk';

export const PATTERN_FIELDS = ['include_paths', 'exclude_paths', 'sitemap_include', 'sitemap_exclude'] as const;
export const SOURCE_FIELDS = ['feeds', 'url_list'] as const;
const FIELDS = [...PATTERN_FIELDS, ...SOURCE_FIELDS];
export type ScopeField = (typeof FIELDS)[number];
/** The text of each field, one entry a line. */
export type ScopeDraft = Readonly<Record<ScopeField, string>>;

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

const textOf = (value: unknown): string =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string').join('\n') : '';

/** Returns the texts of the fields as the project has them. */
export function draftOf(config: Readonly<Record<string, unknown>>): ScopeDraft {
  return {
    include_paths: textOf(config['include_paths']),
    exclude_paths: textOf(config['exclude_paths']),
    sitemap_include: textOf(config['sitemap_include']),
    sitemap_exclude: textOf(config['sitemap_exclude']),
    feeds: textOf(config['feeds']),
    url_list: textOf(config['url_list']),
  };
}

/** Returns the changed fields as lists; an emptied field becomes null, its default. */
export function changesOf(saved: ScopeDraft, draft: ScopeDraft): Pick<UnsavedConfig, ScopeField> {
  const changes: { [Field in ScopeField]?: string[] | null } = {};
  for (const field of FIELDS) {
    const lines = linesOf(draft[field]);
    if (lines.join('\n') === linesOf(saved[field]).join('\n')) continue;
    changes[field] = lines.length === 0 ? null : lines;
  }
  return changes;
}
