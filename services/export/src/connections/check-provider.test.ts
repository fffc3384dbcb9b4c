import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createGuard, createHttpClient, type HttpClient, parseAllowList } from '@tidemark/egress';
import { startWebSite, type WebSite } from '@tidemark/testkit';
import { ProviderCatalogue } from '../domain/providers/providers.ts';
import { makeCheckProvider, type ProviderCheck } from './check-provider.ts';

let site: WebSite;
let client: HttpClient;
let respond: (write: (chunk: string) => void) => void;

beforeEach(async () => {
  respond = () => undefined;
  site = await startWebSite((_request, response) => respond((chunk) => void response.write(chunk)));
  client = createHttpClient(createGuard({ allow: parseAllowList(site.host) }));
});
afterEach(async () => {
  await client.close();
  await site.close();
});

async function checkAt(baseUrl: string): Promise<ProviderCheck> {
  const provider = new ProviderCatalogue([]).find('openai');
  if (provider === undefined) throw new Error('provider not found');
  const config = { base_url: baseUrl, model: 'small' };
  return makeCheckProvider(client, { timeoutMs: 300 })(provider, config, { api_key: 'k' });
}

describe('checkProvider', () => {
  it.each<[string, typeof respond]>([
    ['sends no response', () => undefined],
    ['never ends its response', (write) => write('{')],
  ])('times out on a provider that %s', async (_, responses) => {
    respond = responses;
    expect(await checkAt(site.origin)).toEqual({ ok: false, reason: 'no response: the site did not respond in time' });
  });

  it('stops reading a list of models that exceeds the size limit', async () => {
    respond = (write) => write('x'.repeat(5 * 1024 * 1024));
    expect(await checkAt(site.origin)).toEqual({ ok: false, reason: 'no response: the body is larger than the limit' });
  });

  it.each(['http://127.0.0.1:9', 'http://169.254.169.254/latest', 'http://user:pass@site.test'])(
    'refuses the address %s, which is not on the public web',
    async (baseUrl) => {
      expect(await checkAt(baseUrl)).toEqual({
        ok: false,
        reason: expect.stringMatching(/^no response: .*is not fetched$/),
      });
    },
  );
});
