import { describe, expect, it } from '@jest/globals';
import { readFilter } from './read-filter.ts';

describe('readFilter', () => {
  it.each([
    ['', {}],
    [' 404 ', { status: '404' }],
    ['4XX', { status: '4xx' }],
    ['failed', { status: 'failed' }],
    ['post /v1/scrape', { route: 'POST /v1/scrape' }],
    ['rate_limited', { code: 'rate_limited' }],
    ['key_01j5xq2w8se6fa7t0a6q1n3k2m', { key: 'key_01j5xq2w8se6fa7t0a6q1n3k2m' }],
    ['req_01j5xq2w8se6fa7t0a6q1n3k2m', { request_id: 'req_01j5xq2w8se6fa7t0a6q1n3k2m' }],
  ])('reads %j', (text, filter) => expect(readFilter(text)).toEqual(filter));
});
