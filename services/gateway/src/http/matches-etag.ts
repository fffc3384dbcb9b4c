/**
 * Returns whether an If-None-Match header lists an entity tag, by weak comparison (RFC 9110 section 13.1.2). Unlike `request.fresh`, it
 * ignores `Cache-Control: no-cache` of the request, which fetch clients add to every conditional request.
 */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = (tag: string): string => tag.trim().replace(/^W\//, '');
  return ifNoneMatch.trim() === '*' || ifNoneMatch.split(',').some((tag) => opaque(tag) === opaque(etag));
}
