import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { parseListen, readConfig, readServiceConfig } from './config.ts';

const shape = { DATABASE_URL: z.url(), THREADS: z.coerce.number().int().min(1).default(2), MODE: z.enum(['a', 'b']) };

const messageOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    return String(Reflect.get(Object(error), 'message'));
  }
  throw new Error('expected a refusal');
};

describe('the configuration of a service', () => {
  it('is parsed with its defaults and contains no other keys', () => {
    const env = { DATABASE_URL: 'postgresql://h/d', MODE: 'a', PATH: '/bin' };
    expect(readConfig('scrape', shape, env)).toEqual({ DATABASE_URL: 'postgresql://h/d', THREADS: 2, MODE: 'a' });
  });

  it('is rejected with all problems of its own and the shared keys, without values', () => {
    const env = { DATABASE_URL: 'hunter2', THREADS: 'many', LOG_LEVEL: 'shouting' };
    const said = messageOf(() => readServiceConfig('scrape', shape, env));
    expect(said).toMatch(/^scrape can not start/);
    for (const key of ['DATABASE_URL', 'THREADS', 'MODE', 'LOG_LEVEL']) expect(said).toContain(`  ${key}: `);
    for (const value of Object.values(env)) expect(said).not.toContain(value);
  });
});

describe('a listen address', () => {
  it('is parsed into host and port, IPv6 included', () => {
    expect(parseListen('0.0.0.0:50051')).toEqual({ host: '0.0.0.0', port: 50_051 });
    expect(parseListen('[::1]:0')).toEqual({ host: '::1', port: 0 });
    expect(parseListen('localhost:65535')).toEqual({ host: 'localhost', port: 65_535 });
  });

  it.each(['', ':80', 'localhost', 'localhost:', 'localhost:http', 'localhost:65536', 'localhost:-1'])(
    'rejects %j with an example',
    (listen) => {
      expect(messageOf(() => parseListen(listen))).toContain('for example 0.0.0.0:50051');
    },
  );

  it('is never parsed into an invalid port', () => {
    fc.assert(
      fc.property(fc.string(), (listen) => {
        try {
          const { host, port } = parseListen(listen);
          expect(host).not.toBe('');
          expect(port).toBeGreaterThanOrEqual(0);
          expect(port).toBeLessThanOrEqual(65_535);
        } catch (error) {
          expect(Reflect.get(Object(error), 'message')).toContain('not a listen address');
        }
      }),
    );
  });
});
