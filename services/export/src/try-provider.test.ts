import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createGuard, createHttpClient, type HttpClient, parseAllowList } from '@tidemark/egress';
import { startWebSite, type WebSite } from '@tidemark/testkit';
import { providerOf } from './domain/providers.ts';
import { makeTryProvider, type Tried } from './try-provider.ts';

let site: WebSite;
let client: HttpClient;
let answer: (write: (chunk: string) => void) => void;

beforeEach(async () => {
  answer = () => undefined;
  site = await startWebSite((_request, response) => answer((chunk) => void response.write(chunk)));
  client = createHttpClient(createGuard({ allow: parseAllowList(site.host) }));
});
afterEach(async () => {
  await client.close();
  await site.close();
});

async function tryAt(baseUrl: string): Promise<Tried> {
  const provider = providerOf('openai');
  if (provider === undefined) throw new Error('there is no such provider');
  const config = { base_url: baseUrl, model: 'small' };
  return makeTryProvider(client, { withinMs: 300 })(provider, config, { api_key: 'k' });
}

describe('trying a provider', () => {
  it.each<[string, typeof answer]>([
    ['says nothing', () => undefined],
    ['never ends', (write) => write('{')],
  ])('gives up in time on one that %s', async (_, answers) => {
    answer = answers;
    expect(await tryAt(site.origin)).toEqual({ ok: false, reason: 'no answer: the site did not answer in time' });
  });

  it('reads no endless list of models', async () => {
    answer = (write) => write('x'.repeat(5 * 1024 * 1024));
    expect(await tryAt(site.origin)).toEqual({ ok: false, reason: 'no answer: the body is larger than the limit' });
  });

  it.each(['http://127.0.0.1:9', 'http://169.254.169.254/latest', 'http://user:pass@site.test'])(
    'goes nowhere off the public web: %s',
    async (baseUrl) => {
      expect(await tryAt(baseUrl)).toEqual({
        ok: false,
        reason: expect.stringMatching(/^no answer: .*is not fetched$/),
      });
    },
  );
});
