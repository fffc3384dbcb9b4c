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
// Google's parser answers for an empty URL, too; we are never asked about one.
const asked = cases.filter((one) => one.url !== '');
const suite = isThere ? describe : describe.skip;

suite(`robots.txt as Google reads it${isThere ? '' : ` (corpus absent: ${CORPUS})`}`, () => {
  it('is read the same in every case', () => {
    expect(asked.filter((one) => allowed(one) !== one.allowed).map(({ id, test }) => `${id} ${test}`)).toEqual([]);
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
