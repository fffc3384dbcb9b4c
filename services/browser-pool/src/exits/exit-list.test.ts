import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseExits } from './exit-list.ts';

describe('the list of exits', () => {
  it('is read from entries, with country and kind as given or as usual', () => {
    const text = 'de1=http://u:p%2Cq@a.example:8000;country=de;kind=mobile, any=socks5://[2001:db8::1]:1080';
    expect(parseExits(text)).toEqual([
      { name: 'de1', url: 'http://u:p%2Cq@a.example:8000', country: 'DE', kind: 'mobile' },
      { name: 'any', url: 'socks5://[2001:db8::1]:1080', country: '', kind: 'residential' },
    ]);
    expect(parseExits(' ')).toEqual([]);
  });

  it('keeps an equals sign of a URL', () => {
    expect(parseExits('a=http://u:p=q@a.example')[0]?.url).toBe('http://u:p=q@a.example');
  });

  it('is read from a JSON file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'exits-'));
    const file = join(folder, 'exits.json');
    writeFileSync(file, JSON.stringify([{ name: 'fr', url: 'https://a.example', country: 'FR', kind: 'datacenter' }]));
    expect(parseExits(file)).toEqual([{ name: 'fr', url: 'https://a.example', country: 'FR', kind: 'datacenter' }]);
    writeFileSync(file, '{"secret": ');
    expect(() => parseExits(file)).toThrow(/cannot be read as JSON$/);
    writeFileSync(file, '{"name": "a"}');
    expect(() => parseExits(file)).toThrow(/must hold a list/);
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['one=ftp://u:secret@a.example', 'entry 1'],
    ['http://u:secret@a.example', 'entry 1'],
    ['http://u:secret=x@a.example', 'entry 1'],
    ['one=http://u:secret%@a.example', 'entry 1'],
    ['one=http://u:x,secret=y@a.example', 'entry 2'],
    ['one=http://u:x;secret=y@a.example', 'entry 1'],
    ['one=http://u:secret@a.example;country=Germany', 'exit one'],
    ['one=http://u:secret@a.example;kind=secret', 'exit one'],
    ['one=http://u:secret@a.example;secret=1', 'exit one'],
    ['one=http://u:secret@a.example,one=http://b.example', 'exit one'],
  ])('with the bad entry %s is refused by the name or the place of it, never its URL', (text, place) => {
    let message = '';
    try {
      parseExits(text);
    } catch (error) {
      message = String(error);
    }
    expect([message, message]).toEqual([expect.stringContaining(place), expect.not.stringContaining('secret')]);
  });
});
