import { expect, it } from '@jest/globals';
import { toOwnId, toUuid } from './job-id.ts';

it.each(['run_00000000000000000000000000', 'run_7zzzzzzzzzzzzzzzzzzzzzzzzz', 'run_01j5xq2w8se6fa7t0a6q1n3k2m'])(
  'the id %s becomes a UUID and the same id again',
  (id) => {
    const uuid = toUuid(id);
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect([toOwnId(uuid, 'run'), toOwnId(uuid.toUpperCase(), 'run')]).toEqual([id, id]);
  },
);

it('an id of this service is accepted as it is', () => {
  expect(toOwnId('run_01j5xq2w8se6fa7t0a6q1n3k2m', 'run')).toBe('run_01j5xq2w8se6fa7t0a6q1n3k2m');
});
