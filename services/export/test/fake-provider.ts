import type { IncomingHttpHeaders } from 'node:http';
import { startWebSite, type WebSite } from '@tidemark/testkit';

/** A fake provider of models over real HTTP. `status` and `body` define its next responses. */
export interface FakeProvider {
  readonly site: WebSite;
  status: number;
  body: string;
  /** Headers of the last request. */
  lastHeaders: IncomingHttpHeaders;
  close(): Promise<void>;
}

export const MODELS = JSON.stringify({ data: [{ id: 'small' }, { id: 'large' }] });

export async function startFakeProvider(): Promise<FakeProvider> {
  const state = { status: 200, body: MODELS, lastHeaders: {} };
  const site = await startWebSite((request, response) => {
    fake.lastHeaders = request.headers;
    response.writeHead(fake.status, { 'content-type': 'application/json', location: 'http://127.0.0.1/elsewhere' });
    response.end(fake.body);
  });
  const fake: FakeProvider = Object.assign(state, { site, close: () => site.close() });
  return fake;
}
