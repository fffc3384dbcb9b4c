import { describe, expect, it } from '@jest/globals';
import { CRAWL_EVENTS, PROJECT_EVENTS } from '../index.ts';
import { buildOpenApi } from '../openapi/build-openapi.ts';
import { BATCH_EVENT_KINDS } from './job-events.ts';
import { EVENT_NAMES, exampleOf, messageSchema } from './message.ts';

describe('EVENTS', () => {
  it('are the events of projects, crawls and batches', () => {
    expect([...EVENT_NAMES].sort()).toEqual(
      [...PROJECT_EVENTS, ...CRAWL_EVENTS, ...Object.keys(BATCH_EVENT_KINDS)].sort(),
    );
  });

  it.each([...EVENT_NAMES])('%s has an example that is a complete, valid message', (name) => {
    const example = exampleOf(name);
    expect(messageSchema(name).parse(example)).toEqual(example);
  });

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
