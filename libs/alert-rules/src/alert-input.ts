/** A value of both readings of a page. Null: the reading has none, or there is no such reading. */
export interface Compared {
  readonly before: unknown;
  readonly after: unknown;
  readonly changed: boolean;
}

/** Values by name: of the configuration's fields, of a model, of the head, of the product. All names, changed or not. */
export type ComparedValues = Readonly<Record<string, Compared>>;

/** A changed block; volatile ones are left out. */
export interface ComparedBlock {
  readonly op: string;
  readonly landmark: string;
  readonly section: string;
  readonly before: string;
  readonly after: string;
}

/** What a condition is evaluated over: the names that an expression reads. */
export interface AlertInput {
  /** added, removed, modified, moved, withheld, unverified, template; `same` for a page without a change. */
  readonly kind: string;
  /** Heading above the first edit; empty: none. */
  readonly section: string;
  readonly words_added: number;
  readonly words_removed: number;
  readonly entry: {
    readonly text_added: string;
    readonly text_removed: string;
    readonly numeric_only: boolean;
    readonly returned: boolean;
    readonly degraded: boolean;
    /** Empty: the page did not move. */
    readonly moved_from: string;
    /** Pages with this change; 1: only this page. */
    readonly template_pages: number;
    readonly blocks: readonly ComparedBlock[];
  };
  readonly page: {
    readonly url: string;
    readonly title: string;
    readonly language: string;
    /** Null: no response, or unknown. */
    readonly httpStatus: number | null;
    readonly verdict: string;
    readonly verdict_before: string;
    readonly words: number | null;
  };
  readonly fields: ComparedValues;
  readonly extracted: ComparedValues;
  readonly head: ComparedValues;
  readonly product: ComparedValues;
}
