import { describe, expect, it } from '@jest/globals';
import { parseAllowList } from './allow-list.ts';

describe('parseAllowList', () => {
  it('allows nothing for blank text', () => {
    const allow = parseAllowList(' , ');
    expect([allow.allowsName('a.test', 80), allow.allowsAddress('127.0.0.1', 80)]).toEqual([false, false]);
  });

  it('allows all ports of a host entry, and only the named port, blocked ports included, of a host:port entry', () => {
    const allow = parseAllowList('mail.corp, git.corp:22');
    expect([allow.allowsName('mail.corp', 80), allow.allowsName('mail.corp', 22)]).toEqual([true, true]);
    expect([allow.allowsName('git.corp', 80), allow.allowsName('git.corp', 22)]).toEqual([false, true]);
    expect([allow.allowsPort('mail.corp', 22), allow.allowsPort('git.corp', 22)]).toEqual([false, true]);
  });

  it('matches addresses, bracketed IPv6 addresses and networks in any spelling', () => {
    const allow = parseAllowList('127.0.0.2:8080, [::1]:9000, ::2, 10.1.0.0/16,fd00::/8');
    expect([allow.allowsAddress('127.0.0.2', 8080), allow.allowsAddress('127.0.0.2', 80)]).toEqual([true, false]);
    expect([allow.allowsAddress('0:0:0:0:0:0:0:1', 9000), allow.allowsAddress('::1', 80)]).toEqual([true, false]);
    expect([
      allow.allowsAddress('::2', 1),
      allow.allowsAddress('10.1.2.3', 80),
      allow.allowsAddress('10.2.0.1', 80),
    ]).toEqual([true, true, false]);
    expect([allow.allowsAddress('::ffff:10.1.2.3', 80), allow.allowsAddress('fd12::1', 80)]).toEqual([true, true]);
  });

  it('matches names in any spelling and never matches a subdomain', () => {
    const allow = parseAllowList('Intern.Example.');
    expect([allow.allowsName('intern.example', 80), allow.allowsName('a.intern.example', 80)]).toEqual([true, false]);
  });

  it.each([
    '*.corp',
    'http://a.corp',
    '10.0.0.0/33',
    'a.corp/8',
    'a b',
    'host:0',
    'host:99999',
    'host:x',
    '[::1',
    '127.1',
    'user@h',
  ])('names the invalid entry %s in the error', (entry) => {
    expect(() => parseAllowList(`ok.corp,${entry}`)).toThrow(`"${entry}"`);
  });

  it('names every invalid entry in one error', () => {
    expect(() => parseAllowList('*.a, b:0')).toThrow(/"\*\.a".*"b:0"/);
  });

  it('rejects an entry that is a metadata address', () => {
    expect(() => parseAllowList('169.254.169.254')).toThrow('metadata');
    expect(() => parseAllowList('[fd00:ec2::254]:80')).toThrow('metadata');
  });
});
