import { Refusal } from './refusal.ts';

/** What this service has instead of each part of Firecrawl's interface that it lacks. */
export const INSTEAD: Readonly<Record<string, string>> = {
  search: 'this service does not search the web; POST /map with `search` filters the URLs of one site',
  extract: 'POST /scrape with the format json extracts values by a schema, and attributes by selectors',
  agent: 'start a crawl or a scrape of the pages',
  browser: 'POST /scrape with `actions` works in a browser',
  interact: 'POST /scrape with `actions` works in a browser',
  parse: 'POST /scrape with the URL of the document parses it',
  'deep-research': 'start a crawl of the pages',
  llmstxt: 'GET /v1/projects/{id}/export?dataset=llms writes the file',
  feedback: 'no feedback is collected',
  'token-usage': 'GET /team/credit-usage states the credits',
  'params-preview': 'set the options of the crawl themselves',
};

/** Returns the last segment that names a part of Firecrawl's interface. */
const partOf = (path: string): string | undefined =>
  path
    .split('/')
    .filter((segment) => Object.hasOwn(INSTEAD, segment))
    .at(-1);

/** Refuses a path that has no route: 501 for a known part of Firecrawl's interface, otherwise 404. @throws Refusal */
export function refusePath(method: string, path: string): never {
  const part = partOf(path);
  if (part !== undefined)
    throw new Refusal(501, 'NOT_AVAILABLE', {
      message: `${part} is not available in this service: ${INSTEAD[part] ?? 'see /v1/docs'}`,
    });
  throw new Refusal(404, 'NOT_FOUND', {
    message: `no route matches ${method} ${path.slice(0, 200)}; this is Firecrawl's interface on Tidemark, whose own routes are at /v1/docs`,
  });
}
