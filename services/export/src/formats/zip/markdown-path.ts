import { createHash } from 'node:crypto';

const MAX_SEGMENT = 100;
const MAX_PATH = 200;
/** Device names that Windows reserves, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Returns a path for a page inside an archive: host and path of its URL, safe on every file system, distinct without regard to case.
 * @param taken paths given before; the new one is added
 */
export function markdownPath(url: string, taken: Set<string>): string {
  const path = safePath(url);
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 8);
  const candidates = [path, `${path}-${hash}`];
  const free = candidates.find((candidate) => !taken.has(candidate.toLowerCase())) ?? `${path}-${hash}-${taken.size}`;
  taken.add(free.toLowerCase());
  return `${free}.md`;
}

function safePath(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return 'page';
  const segments = parsed.pathname.split('/').filter((segment) => segment !== '');
  if (parsed.pathname.endsWith('/') || segments.length === 0) segments.push('index');
  if (parsed.search !== '') segments.push(`${segments.pop() ?? ''}${parsed.search}`);
  return [parsed.host, ...segments]
    .map(safeSegment)
    .join('/')
    .slice(0, MAX_PATH)
    .replace(/[/. ]+$/, '');
}

function safeSegment(segment: string): string {
  const safe = decode(segment)
    .toWellFormed()
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}._=&+,~ -]/gu, '_')
    .slice(0, MAX_SEGMENT)
    .toWellFormed()
    .replace(/^[. ]+|[. ]+$/g, '_');
  return safe === '' || RESERVED.test(safe) ? `_${safe}` : safe;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
