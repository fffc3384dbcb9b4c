import { asList, asObject, asText, type Json } from './openapi.ts';
import { alternatives, choicesOf, isNullable, mainType, resolve } from './schema.ts';

const ID = '01k6v1q8xwe0gs2ptk4cz7n3ma';
const DEPTH_MAX = 8;

/** What a field of this name would hold in an answer about example.com. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  request_id: `req_${ID}`,
  name: 'reporting',
  plan: 'free',
  url: 'https://example.com/',
  askedUrl: 'https://example.com',
  httpStatus: 200,
  title: 'Example Domain',
  language: 'en',
  charset: 'utf-8',
  words: 28,
  credits: 1,
  creditsUsed: 1,
  reason: '',
  method: 'http',
  tier: 'http',
  status: 'done',
  errorCode: 'OK',
  signals: ['http 200'],
  warnings: [],
  redirects: [],
  timingsMs: { fetch: 84, parse: 3, extract: 6 },
  markdown: '# Example Domain\n\nThis domain is for use in documents.',
  shape: null,
  rpm: 60,
  max_rpm: null,
  remaining: 998,
  reserved: 0,
  usedThisMonth: 2,
  subAccounts: 0,
  lastFour: 'q7Xc',
  secret: 'service_…',
  projects: [],
  next: null,
  cursor: null,
  day: '2026-11-21',
  pages: 2,
  exitBytes: 0,
  userAgent: 'Tidemark',
  text: 'Learn more',
  kind: 'content',
};

/** What an id begins with, by the last word of the path it is reached by. */
const ID_PREFIXES: Readonly<Record<string, string>> = { scrape: 'job', keys: 'key', me: 'ws', crawl: 'run', projects: 'prj' };

/** An id as this route would take or answer it. */
export function sampleId(path: string): string {
  const noun = path.split('/').findLast((word) => word !== '' && !word.startsWith('{')) ?? '';
  return `${ID_PREFIXES[noun] ?? noun.replace(/s$/, '')}_${ID}`;
}

/** A value a schema would let through, as a reader would expect to see it. */
export function sampleOf(schema: Json, schemas: Json, path: string): unknown {
  const value = (part: Json, name: string, depth: number): unknown => {
    const resolved = resolve(part, schemas);
    const given = resolved['example'] ?? asList(resolved['examples'])[0];
    if (given !== undefined) return given;
    if (name === 'id') return sampleId(path);
    const known = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
    if (known !== undefined && (known !== null || isNullable(resolved))) return known;
    if (isNullable(part) || isNullable(resolved) || depth > DEPTH_MAX) return null;
    const [choice] = mainType(resolved) === 'array' ? [] : choicesOf(resolved, schemas);
    if (choice !== undefined) return choice;
    const [alternative] = alternatives(resolved);
    return alternative === undefined ? plain(resolved, name, depth) : value(alternative, name, depth + 1);
  };
  const plain = (resolved: Json, name: string, depth: number): unknown => {
    switch (mainType(resolved)) {
      case 'object':
        return members(resolved, depth);
      case 'array':
        return [value(asObject(resolved['items']), name.replace(/s$/, ''), depth + 1)];
      case 'integer':
      case 'number':
        return resolved['default'] ?? Math.max(1, Number(resolved['minimum'] ?? 1));
      case 'boolean':
        return resolved['default'] ?? true;
      default:
        return asText(resolved['format']) === 'date-time' ? '2026-11-21T09:30:00.000Z' : 'string';
    }
  };
  const members = (resolved: Json, depth: number): Json => {
    const required = asList(resolved['required']);
    const shown = Object.entries(asObject(resolved['properties'])).filter(
      ([name]) => required.includes(name) || name === 'markdown',
    );
    return Object.fromEntries(shown.map(([name, part]) => [name, value(asObject(part), name, depth + 1)]));
  };
  return value(schema, '', 0);
}
