import { isIPv4 } from 'node:net';
import {
  ADDRESS_RANGES,
  INTERNAL_NAMES,
  LOOPBACK_SPELLINGS,
  SSRF_URLS,
} from '@tidemark/testkit/cases/internal-addresses';
import { casesOf } from '@tidemark/testkit/cases/rule-cases';

/** Notations of the loopback address with a given port. */
export const loopbackSpellings = (port: number): string[] =>
  casesOf(LOOPBACK_SPELLINGS).map((host) => `http://${host}:${port}/`);

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
 * Whether an address is known to be non-public without a DNS query. Other addresses are left out: these tests
 * send no DNS queries and open no connections.
 */
export function isInternal(address: string): boolean {
  const host = unmapped(URL.parse(address)?.hostname ?? '');
  return (isIPv4(host) && INTERNAL_V4.test(host)) || INTERNAL_V6.test(host) || INTERNAL_NAME.test(host);
}

/** Addresses that must be rejected without a DNS query: of other schemes, invalid or internal. */
export const ssrfUrls = (): string[] => casesOf(SSRF_URLS);

/** URLs of every internal address and name. */
export const internalUrls = (): string[] => [
  ...ADDRESS_RANGES.flatMap(({ refused }) =>
    refused.map((address) => `http://${address.includes(':') ? `[${address}]` : address}/`),
  ),
  ...casesOf(INTERNAL_NAMES).map((name) => `http://${name}/`),
];
