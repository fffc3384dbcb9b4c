/** One wrong request and how it must be refused. */
export interface BadInput {
  /** What is wrong with it. */
  readonly name: string;
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path?: string;
  /** Text goes as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly code?: string;
  /** What the message must name: the field at fault. */
  readonly names: string;
}

/** A page that could be fetched, so that only what a case adds is wrong. */
export const FINE = 'http://127.0.0.2/article';

/** A wrong scrape: the fine one with some keys laid over it. */
export const scrape = (
  over: Readonly<Record<string, unknown>>,
  names: string,
  { status = 422, said = '' } = {},
): BadInput => {
  const text = JSON.stringify(over) ?? '';
  return {
    name: said || (text.length > 120 ? `${text.slice(0, 100)}… (${text.length} characters)` : text),
    path: '/scrape',
    body: { url: FINE, ...over },
    status,
    names,
  };
};
