import { describe, expect, it } from '@jest/globals';
import { ROBOTS_FILES, ROBOTS_SITEMAPS, type RobotsCase } from '@tidemark/testkit/cases/robots-files';
import { rowsOf } from '@tidemark/testkit/cases/rule-cases';
import { readRobots } from './robots-gate.ts';

const ROBOTS_URL = 'https://example.com/robots.txt';
const rulesOf = (body: string, agent: string) => readRobots(ROBOTS_URL, { status: 200, body }, agent);
/** One line that identifies a file in a title. */
const shown = (text: string): string => JSON.stringify(text.slice(0, 120));

/** Files that are read differently: each with the reason. */
const DIFFERENCES: ReadonlyMap<string, string> = new Map([
  ['User-agent: *\nDisallowed: /a', 'a longer name than disallow is unknown'],
  ['User-agent: *\nDisallow: /\nUser-agent: Bot', 'a group without rules at the end of a file is dropped'],
  [
    'User-agent: Bot\nSitemap: https://example.com/a.xml\nUser-agent: Other\nDisallow: /a',
    'a sitemap line between two agents ends their group',
  ],
]);
const files = rowsOf(ROBOTS_FILES).map(([rule, one]) => [rule, shown(one.robots), one.agent, one] as const);
const allowedOf = ({ robots, agent, allowed, disallowed }: RobotsCase): string[] => {
  const { rules } = rulesOf(robots, agent);
  return [...allowed, ...disallowed].filter((path) => rules(`https://example.com${path}`).allowed);
};

describe('readRobots', () => {
  it.each(files.filter(([, , , { robots }]) => !DIFFERENCES.has(robots)))(
    'reads a file by the rule that %s: %s for %s',
    (_rule, _file, _agent, one) => expect(allowedOf(one)).toEqual(one.allowed),
  );

  it.each([...DIFFERENCES])('reads %j differently: %s', (robots) => {
    const found = files.find(([, , , one]) => one.robots === robots)?.[3];
    expect(found && allowedOf(found)).not.toEqual(found?.allowed);
  });

  it.each(rowsOf(ROBOTS_SITEMAPS))('returns sitemaps by the rule that %s: %j', (_rule, [robots, sitemaps]) => {
    expect(rulesOf(robots, 'Bot').sitemaps).toEqual(sitemaps);
  });
});
