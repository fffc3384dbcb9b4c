import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createGuard, createHttpClient, type HttpClient, parseAllowList } from '@tidemark/egress';
import { makeRequestCompletion } from '@tidemark/models';
import { type FakeModel, startFakeModel } from '@tidemark/testkit';
import { extractionPrompt, MAX_PAGE_CHARS } from './extraction-prompt.ts';
import { makeRequestExtraction, mostTokensOf } from './request-extraction.ts';

const SCHEMA = JSON.stringify({ type: 'object', properties: { price: { type: 'number' } }, required: ['price'] });
const REQUEST = { schemaJson: SCHEMA, prompt: '' };
const PAGE = { url: 'https://a.example/', title: 'Lamp', markdown: 'It costs 12 euros.' };

let model: FakeModel;
let client: HttpClient;
beforeAll(async () => {
  model = await startFakeModel();
  client = createHttpClient(createGuard({ allow: parseAllowList(model.site.host) }));
});
afterAll(async () => {
  await client.close();
  await model.close();
});
beforeEach(() => {
  model.requests.length = 0;
  model.failures = [];
  model.reply = '{"price": 12}';
});

/** Leaves a request without a response. */
const silent = () => undefined;

function request(withinMs: number, signal = new AbortController().signal) {
  const { isTruncated: _, ...prompt } = extractionPrompt(REQUEST, PAGE);
  const used = { provider: 'openai', baseUrl: `${model.site.origin}/v1`, model: 'small', apiKey: 'sk-one' };
  return makeRequestExtraction(makeRequestCompletion(client))({
    model: used,
    prompt,
    schemaJson: SCHEMA,
    withinMs,
    signal,
  });
}

describe('the request of an extraction', () => {
  it('ends with the code timeout where the model does not respond in time', async () => {
    model.failures = [silent];
    expect(await request(200)).toMatchObject({ errorCode: 'timeout', tokens: { input: 0, output: 0 } });
    expect(model.requests).toHaveLength(1);
  });

  it('shares its time between the first call and the one that corrects its response, and counts the tokens of both', async () => {
    const startedAt = performance.now();
    // The first call is answered, the second is not.
    model.reply = () => {
      model.failures = [silent];
      return '{"price": "twelve"}';
    };
    const withinMs = 3_000;
    expect(await request(withinMs)).toMatchObject({ errorCode: 'timeout', tokens: { input: 100, output: 10 } });
    expect(model.requests).toHaveLength(2);
    expect(performance.now() - startedAt).toBeLessThan(2 * withinMs);
  });

  it('states the largest number of tokens of a response in each call', async () => {
    await request(10_000);
    expect(model.requests[0]).toMatchObject({ max_completion_tokens: 8_000 });
  });
});

describe('the prompt of an extraction', () => {
  const longest = extractionPrompt(REQUEST, {
    url: `https://a.example/${'u'.repeat(5_000)}`,
    title: 't'.repeat(5_000),
    markdown: '<&>'.repeat(1_000_000),
  });

  it('holds a bounded part of a page, also where its characters are escaped, and states that it was cut', () => {
    expect(longest.isTruncated).toBe(true);
    expect(longest.question.length).toBeLessThan(MAX_PAGE_CHARS + 10_000);
    expect(longest.question.endsWith('\n</page>')).toBe(true);
    expect(extractionPrompt(REQUEST, PAGE).isTruncated).toBe(false);
  });

  it('bounds the tokens that one page can use', () => {
    expect(mostTokensOf(longest)).toBeLessThan(130_000);
  });
});
