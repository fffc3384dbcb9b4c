/** Parameters of `GET /me/requests` that a filter text selects. */
export interface RequestFilter {
  readonly key?: string;
  readonly status?: string;
  readonly code?: string;
  readonly route?: string;
  readonly request_id?: string;
}

/** Returns the filter that a text means: a key, a status or class, a route, an error code, else a request id. */
export function readFilter(text: string): RequestFilter {
  const word = text.trim();
  if (word === '') return {};
  if (/^key_[0-9a-z]{26}$/.test(word)) return { key: word };
  if (/^([1-5]xx|[1-5]\d\d|failed)$/i.test(word)) return { status: word.toLowerCase() };
  if (/^(get|post|patch|delete) \//i.test(word)) {
    const [method = '', ...path] = word.split(' ');
    return { route: `${method.toUpperCase()} ${path.join(' ')}` };
  }
  // Ids of requests contain digits, codes of errors do not.
  return /^[a-z_]{3,60}$/.test(word) ? { code: word } : { request_id: word.slice(0, 128) };
}
