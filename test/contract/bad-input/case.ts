/** An invalid request and its expected error. */
export interface BadInput {
  /** Description of the fault. */
  readonly name: string;
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path?: string;
  /** Text is sent as it is, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly status: number;
  readonly code?: string;
  /** The field that the message must name. */
  readonly names: string;
}

/** A valid URL, so that only the fault of the case is rejected. */
export const FINE = 'http://127.0.0.2/article';

/** Returns an invalid scrape: a valid one with some keys replaced. */
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
