import { describe, expect, it } from '@jest/globals';
import { parseAllowList } from './allow-list.ts';

describe('parseAllowList', () => {
  it('opens nothing for blank text', () => {
    const allow = parseAllowList(' , ');
    expect([allow.opensName('a.test', 80), allow.opensAddress('127.0.0.1', 80)]).toEqual([false, false]);
  });

  it('a host opens all its ports, host:port only that one, and only the second opens a blocked port', () => {
    const allow = parseAllowList('mail.corp, git.corp:22');
    expect([allow.opensName('mail.corp', 80), allow.opensName('mail.corp', 22)]).toEqual([true, true]);
    expect([allow.opensName('git.corp', 80), allow.opensName('git.corp', 22)]).toEqual([false, true]);
    expect([allow.opensPort('mail.corp', 22), allow.opensPort('git.corp', 22)]).toEqual([false, true]);
  });

  it('addresses, bracketed IPv6 and networks open what they cover in any spelling', () => {
    const allow = parseAllowList('127.0.0.2:8080, [::1]:9000, ::2, 10.1.0.0/16,fd00::/8');
    expect([allow.opensAddress('127.0.0.2', 8080), allow.opensAddress('127.0.0.2', 80)]).toEqual([true, false]);
    expect([allow.opensAddress('0:0:0:0:0:0:0:1', 9000), allow.opensAddress('::1', 80)]).toEqual([true, false]);
    expect([
      allow.opensAddress('::2', 1),
      allow.opensAddress('10.1.2.3', 80),
      allow.opensAddress('10.2.0.1', 80),
    ]).toEqual([true, true, false]);
    expect([allow.opensAddress('::ffff:10.1.2.3', 80), allow.opensAddress('fd12::1', 80)]).toEqual([true, true]);
  });

  it('names match however they are spelled and never match a subdomain', () => {
    const allow = parseAllowList('Intern.Example.');
    expect([allow.opensName('intern.example', 80), allow.opensName('a.intern.example', 80)]).toEqual([true, false]);
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
  ])('the bad entry %s is named in the error', (entry) => {
    expect(() => parseAllowList(`ok.corp,${entry}`)).toThrow(`"${entry}"`);
  });

  it('every bad entry is named at once', () => {
    expect(() => parseAllowList('*.a, b:0')).toThrow(/"\*\.a".*"b:0"/);
  });

  it('a metadata address cannot be listed', () => {
    expect(() => parseAllowList('169.254.169.254')).toThrow('metadata');
    expect(() => parseAllowList('[fd00:ec2::254]:80')).toThrow('metadata');
  });
});
