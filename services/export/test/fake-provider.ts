import type { IncomingHttpHeaders } from 'node:http';
import { startWebSite, type WebSite } from '@tidemark/testkit';

/** What a made-up provider answers to the next questions. */
export interface FakeProvider {
  readonly site: WebSite;
  status: number;
  body: string;
  /** Headers of the last question. */
  last: IncomingHttpHeaders;
  close(): Promise<void>;
}

export const MODELS = JSON.stringify({ data: [{ id: 'small' }, { id: 'large' }] });

/** A provider of models over real HTTP. */
export async function startFakeProvider(): Promise<FakeProvider> {
  const face = { status: 200, body: MODELS, last: {} };
  const site = await startWebSite((request, response) => {
    fake.last = request.headers;
    response.writeHead(fake.status, { 'content-type': 'application/json', location: 'http://127.0.0.1/elsewhere' });
    response.end(fake.body);
  });
  const fake: FakeProvider = Object.assign(face, { site, close: () => site.close() });
  return fake;
}
