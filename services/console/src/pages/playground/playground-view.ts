export const RESULT_TABS = [
  'evidence',
  'markdown',
  'html',
  'links',
  'fields',
  'removed',
  'screenshot',
  'code',
] as const;
export const LANGUAGES = ['curl', 'typescript', 'python', 'cli', 'mcp'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The part of the URL that repeats an attempt. */
export interface PlaygroundView {
  readonly url?: string | undefined;
  /** Not on a browser. */
  readonly plain?: true | undefined;
  readonly exit?: true | undefined;
  /** Texts of further options by key. */
  readonly options?: Readonly<Record<string, string>> | undefined;
  /** Id of the shown attempt. */
  readonly job?: string | undefined;
  readonly tab?: (typeof RESULT_TABS)[number] | undefined;
  readonly code?: Language | undefined;
}

const MAX_OPTIONS = 60;

/** Reads the options of a URL; everything else than texts is left out. */
export function optionsIn(value: unknown): Readonly<Record<string, string>> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const texts = Object.entries(value).flatMap(([key, text]): [string, string][] =>
    typeof text === 'string' ? [[key, text]] : [],
  );
  return texts.length === 0 ? undefined : Object.fromEntries(texts.slice(0, MAX_OPTIONS));
}
