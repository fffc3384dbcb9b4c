import { describe, expect, it } from '@jest/globals';
import { PROJECT_EVENTS } from '@tidemark/project-config';
import { BATCH_EVENT_KINDS, CRAWL_EVENTS } from './job-events.ts';
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
});
