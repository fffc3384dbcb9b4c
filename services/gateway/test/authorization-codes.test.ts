import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startRedis, type TestRedis, until } from '@tidemark/testkit';
import { Redis } from 'ioredis';
import { AuthorizationCodes, type Grant } from '../src/oauth/authorization-codes.ts';

let server: TestRedis;
let redis: Redis;
let codes: AuthorizationCodes;
beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url, { enableOfflineQueue: false, maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined);
  await until('the connection to Redis', () => redis.status === 'ready');
  codes = new AuthorizationCodes(redis);
});
afterAll(async () => {
  redis.disconnect();
  await server.close();
});

const GRANT: Grant = {
  clientId: 'c',
  clientName: 'Agent',
  redirectUri: 'https://agent.example/',
  codeChallenge: 'x',
  scope: 'read',

  workspaceId: 'ws_1',
  userId: 'usr_1',
  sessionId: 'ses_1',
};
const ISSUED = { workspaceId: 'ws_1', keyId: 'key_1' };

describe('AuthorizationCodes', () => {
  it('returns the grant of a code to one of 20 concurrent uses', async () => {
    const code = await codes.issue(GRANT);
    const taken = await Promise.all(Array.from({ length: 20 }, () => codes.take(code)));
    expect(taken.filter(({ grant }) => grant !== undefined)).toEqual([{ grant: GRANT }]);
  });

  it('returns the token of the first use to a later one, so that it can be revoked', async () => {
    const code = await codes.issue(GRANT);
    await codes.take(code);
    expect(await codes.recordToken(code, ISSUED)).toBe(true);
    expect(await codes.take(code)).toEqual({ replayed: ISSUED });
    expect(await codes.take(code)).toEqual({});
  });

  it('reports a use between the first one and the storage of its token', async () => {
    const code = await codes.issue(GRANT);
    await codes.take(code);
    expect(await codes.take(code)).toEqual({});
    expect(await codes.recordToken(code, ISSUED)).toBe(false);
  });

  it('keeps a code for at most a minute, not in plain text, and returns nothing for other codes', async () => {
    const code = await codes.issue(GRANT);
    const names = await redis.keys('oauth:code:*');
    expect(names.join()).not.toContain(code);
    const lives = await Promise.all(names.map((name) => redis.ttl(name)));
    expect(Math.max(...lives)).toBeLessThanOrEqual(600);
    expect(await codes.take('unknown')).toEqual({});
    expect(await redis.keys('oauth:code:*')).toHaveLength(names.length);
  });
});
