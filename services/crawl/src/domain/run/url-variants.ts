import { scopeRules } from '../scope/scope-rules.ts';
import type { Run } from './run.ts';

/** Returns the keys a URL may be stored under: under either scheme, with and without its trailing slash. */
export function urlVariants(run: Run, href: string): Buffer[] {
  const url = URL.parse(href);
  if (url === null) return [];
  const rules = scopeRules(run.seed, { ...run.scope, includePaths: [], excludePaths: [] }, run.home);
  const other = url.pathname.endsWith('/') ? url.pathname.replace(/\/+$/, '') : `${url.pathname}/`;
  const paths = [url.pathname, other];
  const schemes = [url.protocol, url.protocol === 'https:' ? 'http:' : 'https:'];
  return schemes.flatMap((scheme) =>
    paths.flatMap((path) => rules.pageUrlOf(`${scheme}//${url.host}${path}${url.search}`)?.key ?? []),
  );
}
