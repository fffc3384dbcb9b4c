import { describe, expect, it } from '@jest/globals';
import { SeenRequests } from './seen-requests.ts';

const START = Date.parse('2026-11-24T10:00:00.000Z');
const logged = (id: string, seconds: number) => ({ id, at: new Date(START + seconds * 1_000).toISOString() });

describe('SeenRequests', () => {
  it('returns each request once, in the order of its time', () => {
    const seen = new SeenRequests(START);
    expect(seen.add([logged('rql_2', 2), logged('rql_1', 1)]).map(({ id }) => id)).toEqual(['rql_1', 'rql_2']);
    expect(seen.add([logged('rql_3', 3), logged('rql_2', 2), logged('rql_1', 1)]).map(({ id }) => id)).toEqual([
      'rql_3',
    ]);
  });

  it('returns a request that another instance stored late', () => {
    const seen = new SeenRequests(START);
    seen.add([logged('rql_9', 9)]);
    expect(seen.add([logged('rql_9', 9), logged('rql_4', 4)]).map(({ id }) => id)).toEqual(['rql_4']);
  });

  it('reads from its start, then the last 30 seconds again', () => {
    const seen = new SeenRequests(START);
    expect(seen.from()).toEqual(new Date(START));
    seen.add([logged('rql_1', 100)]);
    expect(seen.from()).toEqual(new Date(START + 70_000));
  });
});
