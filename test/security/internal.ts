import { readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { corpus } from '../harness/corpora.ts';

/** Notations of the loopback address with a given port. */
export const loopbackSpellings = (port: number): string[] =>
  [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0177.0.0.1',
    '2130706433',
    '017700000001',
    '127.0.0.1.',
    '127。0。0。1',
    '0',
    '0.0.0.0',
    '[::]',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    'localhost',
    'localhost.',
    'LOCALHOST',
    'anything.localhost',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  ].map((host) => `http://${host}:${port}/`);

const INTERNAL_V4 =
  /^(?:0|10|127|22[4-9]|2[3-5]\d)\.|^169\.254\.|^192\.(?:168|0\.2|0\.0)\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|^198\.(?:1[89]|51\.100)\.|^203\.0\.113\.|^168\.63\.129\.16$/;
const INTERNAL_V6 = /^\[(?:::|fe[89ab]|f[cd]|ff|64:ff9b|2001:db8|2002:(?:7f|a|c0a8))/;
const INTERNAL_NAME = /(?:^|\.)(?:localhost|localdomain|internal|local|svc|metadata|instance-data)\.?$/;

/** Returns the IPv4 address that an IPv6 host is mapped from (RFC 4291 section 2.5.5.2); any other host as it is. */
function unmapped(host: string): string {
  const [, high, low] = /^\[::ffff:([\da-f]{1,4}):([\da-f]{1,4})\]$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return host;
  const [upper, lower] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [upper >> 8, upper & 255, lower >> 8, lower & 255].join('.');
}

/**
 * Whether an address is known to be non-public without a DNS query. Other addresses of a corpus are left out: these tests
 * send no DNS queries and open no connections.
 */
export function isInternal(address: string): boolean {
  const host = unmapped(URL.parse(address)?.hostname ?? '');
  return (isIPv4(host) && INTERNAL_V4.test(host)) || INTERNAL_V6.test(host) || INTERNAL_NAME.test(host);
}

/** Every internal http URL in the SSRF lists of PayloadsAllTheThings, and every invalid one. */
export function payloads(): string[] {
  const files = ['README.md', 'SSRF-Cloud-Instances.md'].map((name) =>
    corpus(`attack/PayloadsAllTheThings/Server_Side_Request_Forgery/${name}`),
  );
  const text = files.flatMap((file) => (file === undefined ? [] : [readFileSync(file, 'utf8')])).join('\n');
  const found = text.match(/\b[a-z][a-z0-9+.-]*:\/\/[^\s`"'<>)]+/gi) ?? [];
  const wrong = (address: string) => !/^https?:/i.test(address) || !URL.canParse(address);
  return [...new Set(found)].filter((address) => wrong(address) || isInternal(address));
}

/** The URLs and hosts of ssrf-addresses.json that must be rejected without a DNS query. */
export function listed(): string[] {
  const file = corpus('attack/ssrf-addresses.json');
  if (file === undefined) return [];
  const { cases, hosts }: { cases: { addr: string; block: boolean }[]; hosts: { host: string; block: boolean }[] } =
    JSON.parse(readFileSync(file, 'utf8'));
  const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address);
  return [
    ...cases.filter(({ block }) => block).map(({ addr }) => `http://${bracketed(addr)}/`),
    ...hosts.filter(({ host, block }) => block && !host.includes(' ')).map(({ host }) => `http://${host}/`),
  ];
}
