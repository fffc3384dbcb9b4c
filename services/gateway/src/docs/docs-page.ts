import type { RequestHandler } from 'express';

/** Placeholder until the page renders. */
export function docsPage(openApi: (serverUrl: string) => Record<string, unknown>): RequestHandler {
  return (_request, response) => void response.type('text').send(JSON.stringify(openApi('/v1'), null, 2));
}
