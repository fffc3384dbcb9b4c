const FIELDS = ['url', 'httpStatus', 'words', 'credits', 'crawledAt', 'depth'] as const;
export const SORTS = FIELDS.flatMap((field) => [field, `-${field}`] as const);

/** The part of the URL that chooses and orders the pages. */
export interface PagesView {
  /** The query, in the language of the route. */
  readonly q?: string | undefined;
  readonly run?: string | undefined;
  readonly sort?: (typeof SORTS)[number] | undefined;
  /** Words that are searched in every stored version; the list of a run is then hidden. */
  readonly said?: string | undefined;
}
