/** A term that the query bar offers. */
export interface Completion {
  readonly text: string;
  readonly hint: string;
  /** The whole query with the term in place of the word at the end. */
  readonly query: string;
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  verdict: ['ok', 'thin', 'blocked', 'skipped', 'robots', 'cached'],
  method: ['http', 'browser'],
  foundVia: ['seed', 'sitemap', 'list', 'feed', 'link', 'redirect', 'canonical'],
  inSitemap: ['true', 'false'],
  orphan: ['true', 'false'],
  unlisted: ['true', 'false'],
  'product.inStock': ['true', 'false'],
};

/** Returns the terms that continue the last word of a query: names of fields, then values of a field with a closed set. */
export function completionsOf(query: string, hints: Readonly<Record<string, string>>): readonly Completion[] {
  const at = Math.max(query.lastIndexOf(' '), query.lastIndexOf(',')) + 1;
  const before = query.slice(0, query.lastIndexOf(' ') + 1);
  const word = query.slice(before.length);
  if (word.includes('"')) return [];
  const [, sign = '', name = '', colon, rest = ''] = /^(-?)([A-Za-z.]*)(:?)(.*)$/.exec(word) ?? [];
  if (colon === ':') {
    const start = query.slice(Math.max(at, before.length + sign.length + name.length + 1));
    const head = query.slice(0, query.length - start.length);
    return (VALUES[name] ?? [])
      .filter((value) => value.startsWith(start) && value !== start && !rest.split(',').includes(value))
      .map((value) => ({ text: `${name}:${value}`, hint: '', query: `${head}${value}` }));
  }
  return Object.entries(hints)
    .filter(([field]) => field.toLowerCase().startsWith(name.toLowerCase()))
    .map(([field, hint]) => ({ text: `${field}:`, hint, query: `${before}${sign}${field}:` }));
}

/** Returns a query without its last term. */
export const withoutLastTerm = (query: string): string =>
  query.trim().replace(/\s*(?:-?[\w.]+:)?(?:"[^"]*"?|\S+)$/, '');
