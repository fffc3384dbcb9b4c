import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { readRobots } from './robots-gate.ts';

const CORPUS = fileURLToPath(new URL('../../../../../shared/corpora/robots/', import.meta.url));

interface Case {
  readonly id: string;
  readonly test: string;
  readonly robots: string;
  readonly agent: string;
  readonly url: string;
  readonly allowed: boolean;
}

/** Where we knowingly differ from Google's parser. */
const DIFFERENCES: Readonly<Record<string, string>> = {
  'robots-078': 'a rule for /index.html speaks for its folder: Google only, RFC 9309 does not say so',
  'robots-176': 'a rule for /index.html speaks for its folder: Google only, RFC 9309 does not say so',
  'robots-143': 'a byte order mark in the middle of the file spoils its line; the parser skips it',
};

const allowed = ({ robots, agent, url }: Case): boolean => {
  const robotsUrl = new URL('/robots.txt', url).href;
  return readRobots(robotsUrl, { status: 200, body: robots }, agent).rules(url).allowed;
};

const isThere = existsSync(CORPUS);
const cases: Case[] = isThere ? JSON.parse(readFileSync(join(CORPUS, 'cases.json'), 'utf8')) : [];
// Google's parser answers for an empty URL, too; we are never asked about one.
const asked = cases.filter((one) => one.url !== '');
const suite = isThere ? describe : describe.skip;

suite(`robots.txt as Google reads it${isThere ? '' : ` (corpus absent: ${CORPUS})`}`, () => {
  it('is read the same in every case but the differences listed here', () => {
    const differing = asked.filter((one) => allowed(one) !== one.allowed);
    expect(differing.map(({ id, test }) => `${id} ${test}: ${DIFFERENCES[id] ?? 'not listed'}`)).toEqual(
      asked.filter(({ id }) => id in DIFFERENCES).map(({ id, test }) => `${id} ${test}: ${DIFFERENCES[id]}`),
    );
    expect(asked.length).toBeGreaterThan(250);
  });

  it.each(['real', 'crawler-commons-files'])('answers for every file of %s, whatever it holds', (folder) => {
    for (const name of readdirSync(join(CORPUS, folder))) {
      const body = readFileSync(join(CORPUS, folder, name), 'utf8');
      const { rules } = readRobots('https://example.com/robots.txt', { status: 200, body }, 'Tidemark');
      expect(typeof rules('https://example.com/any/page?q=1').allowed).toBe('boolean');
    }
  });
});
