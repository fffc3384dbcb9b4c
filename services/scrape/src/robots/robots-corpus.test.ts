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

const allowed = ({ robots, agent, url }: Case): boolean => {
  const robotsUrl = new URL('/robots.txt', url).href;
  return readRobots(robotsUrl, { status: 200, body: robots }, agent).rules(url).allowed;
};

const isThere = existsSync(CORPUS);
const cases: Case[] = isThere ? JSON.parse(readFileSync(join(CORPUS, 'cases.json'), 'utf8')) : [];
// The service never checks an empty URL, which Google's parser accepts.
const checked = cases.filter((one) => one.url !== '');
const suite = isThere ? describe : describe.skip;

suite(`robots.txt as Google reads it${isThere ? '' : ` (corpus absent: ${CORPUS})`}`, () => {
  it('gives the expected result in every case', () => {
    expect(checked.filter((one) => allowed(one) !== one.allowed).map(({ id, test }) => `${id} ${test}`)).toEqual([]);
    expect(checked.length).toBeGreaterThan(250);
  });

  it.each(['real', 'crawler-commons-files'])('returns rules for every file of %s', (folder) => {
    for (const name of readdirSync(join(CORPUS, folder))) {
      const body = readFileSync(join(CORPUS, folder, name), 'utf8');
      const { rules } = readRobots('https://example.com/robots.txt', { status: 200, body }, 'Tidemark');
      expect(typeof rules('https://example.com/any/page?q=1').allowed).toBe('boolean');
    }
  });
});
