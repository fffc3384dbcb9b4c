import { describe, expect, it } from '@jest/globals';
import { natsAddress } from './nats-address.ts';

describe('natsAddress', () => {
  it('separates the credentials of a URL from its addresses, decoded', () => {
    expect(natsAddress('nats://tidemark:p%40ss:word@nats:4222')).toEqual({
      servers: ['nats://nats:4222'],
      user: 'tidemark',
      pass: 'p@ss:word',
    });
    expect(natsAddress('nats://a:b@one:4222, nats://a:b@two:4222')).toEqual({
      servers: ['nats://one:4222', 'nats://two:4222'],
      user: 'a',
      pass: 'b',
    });
  });

  it('reads a name without a password as a token, and an address without a name as open', () => {
    expect(natsAddress('tls://t0ken@nats:4222')).toEqual({ servers: ['tls://nats:4222'], token: 't0ken' });
    expect(natsAddress('127.0.0.1:4222')).toEqual({ servers: ['127.0.0.1:4222'] });
  });
});
