import { describe, expect, it } from '@jest/globals';
import { cookiesOf } from './cookies-of.ts';

describe('pasted cookies', () => {
  it('are a list, a storage state, or the text of a cookies.txt', () => {
    const cookie = { name: 'session', value: 'abc' };
    expect(cookiesOf(JSON.stringify([cookie]))).toEqual([cookie]);
    expect(cookiesOf(JSON.stringify({ cookies: [cookie], origins: [] }))).toEqual({ cookies: [cookie] });
    const file = '.example.com\tTRUE\t/\tTRUE\t1893456000\tsession\tabc';
    expect(cookiesOf(file)).toBe(file);
    expect(cookiesOf('[{"name":1}]')).toBe('[{"name":1}]');
  });
});
