import type { Json } from '@tidemark/api';
import { chapterHref, operationHref } from './docs-links.ts';
import { ERROR_MEANINGS } from './error-meanings.ts';
import type { Document, Operation } from './openapi.ts';
import { eventHref } from './render-webhooks.ts';
import { type Field, fieldsOf } from './schema.ts';

/** Longer queries are cut. */
const QUERY_CHARS = 200;
const RESULTS = 40;
/** Levels of nested objects whose names are found. */
const NESTED_DEPTH = 2;

/** Part of the documentation that a search can find. */
export interface SearchEntry {
  readonly href: string;
  readonly title: string;
  /** The route of a title that is a sentence; the page otherwise. */
  readonly where: string;
  readonly summary: string;
  /** Names and text, in lower case. */
  readonly heading: string;
  readonly names: string;
  readonly text: string;
}

export interface SearchResults {
  /** The query as it was searched. */
  readonly query: string;
  readonly found: readonly SearchEntry[];
  /** Number of entries that match, of which at most 40 are in `found`. */
  readonly total: number;
}

export type SearchDocs = (query: string) => SearchResults;

/** Reads every route, event, error code and table of Firecrawl once; the returned function searches them. */
export function makeSearchDocs(document: Document): SearchDocs {
  const entries: readonly SearchEntry[] = [
    ...document.operations.map((operation) => routeEntry(operation, document)),
    ...document.events.map(({ name, description, schema }) => {
      const names = fieldsOf(schema, document.schemas).map((field) => field.name);
      return entry(eventHref(name), { title: name, where: 'Webhook event', summary: description, names });
    }),
    ...Object.entries(ERROR_MEANINGS).map(([code, meaning]) =>
      entry(chapterHref('errors', `error-${code}`), { title: code, where: 'Error code', summary: meaning, names: [] }),
    ),
    ...document.firecrawl.flatMap(({ title, rows }) =>
      rows.map(([name, becomes]) =>
        entry(chapterHref('firecrawl'), {
          title: name,
          where: `Clients of Firecrawl: ${title}`,
          summary: becomes,
          names: [],
        }),
      ),
    ),
  ];
  return (text) => {
    const query = text.slice(0, QUERY_CHARS).trim();
    const terms = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (terms.length === 0) return { query, found: [], total: 0 };
    const rated = entries
      .map((one, at) => ({ one, at, score: scoreOf(one, terms) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || a.at - b.at);
    return { query, found: rated.slice(0, RESULTS).map(({ one }) => one), total: rated.length };
  };
}

function routeEntry(operation: Operation, { schemas }: Document): SearchEntry {
  const { id, method, path, tag, summary, description, parameters, body, responses } = operation;
  const given = [...parameters, ...(body === undefined ? [] : withNested(fieldsOf(body.schema, schemas), schemas))];
  const returned = responses.flatMap(({ schema }) => (schema === undefined ? [] : fieldsOf(schema, schemas)));
  const described = given.map((field) => ('description' in field ? field.description : field.schema['description']));
  return {
    ...entry(operationHref(operation), {
      title: summary,
      where: `${method.toUpperCase()} /v1${path}`,
      summary: description,
      names: [id, ...given.map(({ name }) => name), ...returned.map(({ name }) => name)],
    }),
    text: [tag, description, ...described].join(' ').toLowerCase(),
  };
}

/** Returns fields with those of their objects, such as the keys of a configuration. */
function withNested(fields: readonly Field[], schemas: Json, depth = NESTED_DEPTH): Field[] {
  if (depth === 0) return [...fields];
  return fields.flatMap((field) => [field, ...withNested(fieldsOf(field.schema, schemas), schemas, depth - 1)]);
}

function entry(
  href: string,
  { title, where, summary, names }: Pick<SearchEntry, 'title' | 'where' | 'summary'> & { names: readonly string[] },
): SearchEntry {
  return {
    href,
    title,
    where,
    summary: summary.split('\n')[0] ?? '',
    heading: `${title} ${where}`.toLowerCase(),
    names: names.join(' ').toLowerCase(),
    text: summary.toLowerCase(),
  };
}

/** Rates an entry: 0 if it lacks one of the terms; a term in the heading counts more than one in a name of a field, and that more than one in the text. */
function scoreOf({ heading, names, text }: SearchEntry, terms: readonly string[]): number {
  let score = 0;
  for (const term of terms) {
    const found = (heading.includes(term) ? 9 : 0) + (names.includes(term) ? 3 : 0) + (text.includes(term) ? 1 : 0);
    if (found === 0) return 0;
    score += found;
  }
  return score;
}
