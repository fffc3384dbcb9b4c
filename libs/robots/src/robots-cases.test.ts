import { describe, expect, it } from '@jest/globals';
import { ROBOTS_FILES, ROBOTS_SITEMAPS, type RobotsCase } from '@tidemark/testkit/cases/robots-files';
import { rowsOf } from '@tidemark/testkit/cases/rule-cases';
import { readRobots } from './robots-policy.ts';

const ROBOTS_URL = 'https://example.com/robots.txt';
const policyOf = (body: string, agent: string) => readRobots(ROBOTS_URL, { status: 200, body }, agent);
/** One line that identifies a file in a title. */
const shown = (text: string): string => JSON.stringify(text.slice(0, 120));

const files = rowsOf(ROBOTS_FILES).map(([rule, one]) => [rule, shown(one.robots), one.agent, one] as const);
const allowedOf = ({ robots, agent, allowed, disallowed }: RobotsCase): string[] => {
  const { decide } = policyOf(robots, agent);
  return [...allowed, ...disallowed].filter((path) => decide(`https://example.com${path}`).allowed);
};

describe('readRobots', () => {
  it.each(files)('reads a file by the rule that %s: %s for %s', (_rule, _file, _agent, one) => {
    expect(allowedOf(one)).toEqual(one.allowed);
  });

  it.each(rowsOf(ROBOTS_SITEMAPS))('returns sitemaps by the rule that %s: %j', (_rule, [robots, sitemaps]) => {
    expect(policyOf(robots, 'Bot').sitemaps).toEqual(sitemaps);
  });
});
