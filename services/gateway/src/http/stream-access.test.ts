import { describe, expect, it } from '@jest/globals';
import { callerIn } from '@tidemark/testkit';
import type { Authenticated } from '../middleware/authenticated.ts';
import { StreamSlots } from './stream-access.ts';

const byKey = (keyId: string): Authenticated => ({
  caller: callerIn('ws', { keyId, scope: 'read' }).caller,
  keyName: 'one',
  scopes: ['read'],

  plan: 'free',
  features: [],
  rpm: 60,
  workspaceRpm: 60,
  suspension: undefined,
  isGrant: false,
  person: undefined,
});
const authenticate = async (): Promise<void> => {};

describe('the event streams of a gateway process', () => {
  it('are limited in number over all keys, with 503 and a delay, until one of them is closed', () => {
    const slots = new StreamSlots(2);
    const first = slots.take(byKey('a'), authenticate);
    slots.take(byKey('b'), authenticate);
    const refused = { code: 'unavailable', httpStatus: 503, retryAfterSeconds: 5 };
    expect(() => slots.take(byKey('c'), authenticate)).toThrow(expect.objectContaining(refused));
    first.release();
    first.release();
    slots.take(byKey('c'), authenticate);
    expect(() => slots.take(byKey('a'), authenticate)).toThrow(expect.objectContaining(refused));
  });
});
