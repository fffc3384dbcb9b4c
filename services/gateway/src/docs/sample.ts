import { asList, asObject, asText, type Json } from './openapi.ts';
import { alternatives, choicesOf, isNullable, mainType, resolve } from './schema.ts';

const ID = '01k6v1q8xwe0gs2ptk4cz7n3ma';
const DEPTH_MAX = 8;

/** Sample values by field name, for responses about example.com. */
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
  verdicts: { ok: 'the page was read' },
  plans: { free: { welcomeCredits: 1000, rpm: 60, subAccounts: 0 } },
  formats: ['markdown', 'links'],
  says: 'a plain request',
  text: 'Learn more',
  kind: 'scrape',
  progress: { done: 1, total: 1, queued: 0 },
  counts: { ok: 1 },
  finishedAt: '2026-11-21T09:30:01.000Z',
};

/** Id prefixes by noun: the last literal segment of a path, or the name of the field that holds the object. */
const ID_PREFIXES: Readonly<Record<string, string>> = {
  scrape: 'job',
  verdict: 'cap',
  keys: 'key',
  key: 'key',
  me: 'ws',
  crawl: 'run',
  projects: 'prj',
};

const idOf = (noun: string): string => `${ID_PREFIXES[noun] ?? noun.replace(/s$/, '')}_${ID}`;

const nounOf = (path: string): string => path.split('/').findLast((word) => word !== '' && !word.startsWith('{')) ?? '';

/** Returns a sample id for a route. */
export const sampleId = (path: string): string => idOf(nounOf(path));

/** Returns a plausible value that is valid for a schema. */
export const sampleOf = (schema: Json, schemas: Json, path: string): unknown =>
  sampleValue(schema, { schemas, name: '', noun: nounOf(path), costs: false, depth: 0 });

interface Place {
  readonly schemas: Json;
  /** Name of the field. */
  readonly name: string;
  /** Noun of the enclosing object. */
  readonly noun: string;
  /** Whether the enclosing object is a job, which costs credits. */
  readonly costs: boolean;
  readonly depth: number;
}

/** Returns the sample value of a field name if it has the given type. */
function knownAs(name: string, type: string): unknown {
  const known = Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined;
  const isList = Array.isArray(known);
  const kind = isList ? 'array' : Number.isInteger(known) ? 'integer' : typeof known;
  return known === null || type === '' || kind === type || (kind === 'integer' && type === 'number')
    ? known
    : undefined;
}

function sampleValue(schema: Json, place: Place): unknown {
  const { schemas, name, depth } = place;
  const resolved = resolve(schema, schemas);
  const given = resolved['example'] ?? asList(resolved['examples'])[0];
  if (given !== undefined) return given;
  if (name === 'id') return idOf(place.noun);
  if (name === 'creditsUsed') return place.costs ? 1 : 0;
  const known = knownAs(name, mainType(resolved));
  const choices = mainType(resolved) === 'array' ? [] : choicesOf(resolved, schemas);
  if (choices.length > 0) return choices.find((choice) => choice === known) ?? choices[0];
  const nullable = isNullable(schema) || isNullable(resolved);
  if (known !== undefined && (known !== null || nullable)) return known;
  if (nullable || depth > DEPTH_MAX) return null;
  const [alternative] = alternatives(resolved);
  return alternative === undefined
    ? plainValue(resolved, place)
    : sampleValue(alternative, { ...place, depth: depth + 1 });
}

function plainValue(resolved: Json, place: Place): unknown {
  const { name, depth } = place;
  switch (mainType(resolved)) {
    case 'object':
      return membersOf(resolved, place);
    case 'array':
      return [sampleValue(asObject(resolved['items']), { ...place, name: name.replace(/s$/, ''), depth: depth + 1 })];
    case 'integer':
    case 'number':
      return resolved['default'] ?? Math.max(1, Number(resolved['minimum'] ?? 1));
    case 'boolean':
      return resolved['default'] ?? true;
    default:
      return asText(resolved['format']) === 'date-time' ? '2026-11-21T09:30:00.000Z' : 'string';
  }
}

function membersOf(resolved: Json, place: Place): Json {
  const properties = asObject(resolved['properties']);
  const required = asList(resolved['required']);
  const shown = Object.entries(properties).filter(([name]) => required.includes(name) || name === 'markdown');
  // Only page rows have a verdict.
  const held = 'verdict' in properties ? 'verdict' : place.name;
  const noun = Object.hasOwn(ID_PREFIXES, held) ? held : place.noun;
  const inside = { ...place, noun, costs: 'progress' in properties, depth: place.depth + 1 };
  return Object.fromEntries(shown.map(([name, part]) => [name, sampleValue(asObject(part), { ...inside, name })]));
}
