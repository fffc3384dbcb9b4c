import { describe, expect, it } from '@jest/globals';
import { countCpuMs } from '@tidemark/testkit';
import { parseDigest } from './parse-digest.ts';

const DIGEST = { summary: 'A lamp is new.', points: ['Returns within 14 days'], significant: true };
const JSON_TEXT = JSON.stringify(DIGEST);

describe('parseDigest', () => {
  it.each([
    ['alone', JSON_TEXT],
    ['in a fence', `\`\`\`\n${JSON_TEXT}\n\`\`\``],
    ['in a fence that names its language', ` \`\`\`json ${JSON_TEXT}\`\`\`\n`],
  ])('parses a digest %s', (_, said) => {
    expect(parseDigest(said)).toEqual(DIGEST);
  });

  it.each(['', '```', '``````', '```json```', '```json', `\`\`\`json${JSON_TEXT}`])('returns null for %j', (said) => {
    expect(parseDigest(said)).toBeNull();
  });

  it('needs linear time, whatever the text', () => {
    const spaces = ' '.repeat(64 * 1_024);
    const cpuMs = countCpuMs();
    for (const said of [spaces, `\`\`\`${spaces}x`, `\`\`\`${spaces}\`\`\`x`, `\`\`\`json${spaces}\`\`\``])
      expect(parseDigest(said)).toBeNull();
    expect(cpuMs()).toBeLessThan(1_000);
  });
});
