import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseExits } from './exit-list.ts';

describe('parseExits', () => {
  it('parses entries with country and kind, or their defaults', () => {
    const text = 'de1=http://u:p%2Cq@a.example:8000;country=de;kind=mobile, any=socks5://[2001:db8::1]:1080';
    expect(parseExits(text)).toEqual([
      { name: 'de1', url: 'http://u:p%2Cq@a.example:8000', country: 'DE', kind: 'mobile' },
      { name: 'any', url: 'socks5://[2001:db8::1]:1080', country: '', kind: 'residential' },
    ]);
    expect(parseExits(' ')).toEqual([]);
  });

  it('keeps an equals sign in a URL', () => {
    expect(parseExits('a=http://u:p=q@a.example')[0]?.url).toBe('http://u:p=q@a.example');
  });

  it('reads a JSON file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'exits-'));
    const file = join(folder, 'exits.json');
    writeFileSync(file, JSON.stringify([{ name: 'fr', url: 'https://a.example', country: 'FR', kind: 'datacenter' }]));
    expect(parseExits(file)).toEqual([{ name: 'fr', url: 'https://a.example', country: 'FR', kind: 'datacenter' }]);
    writeFileSync(file, '{"secret": ');
    expect(() => parseExits(file)).toThrow(/cannot be read as JSON$/);
    writeFileSync(file, '{"name": "a"}');
    expect(() => parseExits(file)).toThrow(/must be a list/);
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
  ])('rejects the invalid entry %s by its name or position, never its URL', (text, identification) => {
    let message = '';
    try {
      parseExits(text);
    } catch (error) {
      message = String(error);
    }
    expect([message, message]).toEqual([
      expect.stringContaining(identification),
      expect.not.stringContaining('secret'),
    ]);
  });
});
