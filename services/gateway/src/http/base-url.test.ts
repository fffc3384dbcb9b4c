import { describe, expect, it } from '@jest/globals';
import type { Request } from 'express';
import { fixedOriginOf } from './base-url.ts';

/** A request of express with a Host header. */
const requestTo = (host: string): Request => Object.assign(Object.create(null), { protocol: 'http', get: () => host });

describe('fixedOriginOf', () => {
  it('uses the Host header of a request for IP addresses and localhost only', () => {
    for (const host of ['localhost:8787', 'a.localhost', '127.0.0.1:8787', '10.0.0.7', '[::1]:8787'])
      expect(fixedOriginOf(requestTo(host), undefined)).toBe(`http://${host}`);
    for (const host of ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example:8787'])
      expect(() => fixedOriginOf(requestTo(host), undefined)).toThrow('PUBLIC_URL');
  });

  it('is the origin of PUBLIC_URL, whatever the Host header', () => {
    expect(fixedOriginOf(requestTo('evil.example'), 'https://tidemark.example/v1')).toBe('https://tidemark.example');
  });
});
