import { oneOf, textIn } from '../../routing/search.ts';

export const SOURCE_TABS = ['sources', 'tree'] as const;
export const ENTRY_SETS = ['added', 'removed', 'updated'] as const;

/** What the URL of the page of sources says. */
export interface SourcesView {
  readonly tab?: (typeof SOURCE_TABS)[number] | undefined;
  /** The sitemap file whose URLs are shown. */
  readonly file?: string | undefined;
  readonly prefix?: string | undefined;
  readonly q?: string | undefined;
  readonly set?: (typeof ENTRY_SETS)[number] | undefined;
}

export const sourcesView = (search: Record<string, unknown>): SourcesView => ({
  tab: oneOf(search, 'tab', SOURCE_TABS),
  file: textIn(search, 'file'),
  prefix: textIn(search, 'prefix'),
  q: textIn(search, 'q'),
  set: oneOf(search, 'set', ENTRY_SETS),
});
