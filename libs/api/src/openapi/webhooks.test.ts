import { describe, expect, it } from '@jest/globals';
import { EVENT_NAMES, exampleOf } from '@tidemark/webhook-events';
import { buildOpenApi } from './build-openapi.ts';

describe('webhook events', () => {
  it('are listed in the OpenAPI document under `webhooks`, each with its schema and example', () => {
    const { webhooks } = buildOpenApi([], 'https://api.example.com/v1');
    expect(Object.keys(Object(webhooks)).sort()).toEqual([...EVENT_NAMES].sort());
    for (const name of EVENT_NAMES) {
      expect(webhooks).toHaveProperty([name, 'post', 'requestBody', 'content', 'application/json'], {
        schema: expect.objectContaining({
          required: expect.arrayContaining(['id', 'event', 'createdAt', 'ts', 'data']),
        }),
        example: exampleOf(name),
      });
    }
  });
});
