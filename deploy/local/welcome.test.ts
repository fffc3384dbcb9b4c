import { describe, expect, it } from '@jest/globals';
import { agentsText, sampleProjectText, welcomeText } from './welcome.ts';

const PAGE = 'http://127.0.0.1:9/docs';
const credentials = {
  url: 'http://127.0.0.1:8787',
  key: 'tm_secret',
  setupUrl: '',
  file: '.tidemark/credentials.json',
};

describe('the text that npm start prints', () => {
  it('shows the key once, on a terminal, at the start that created it', () => {
    const text = welcomeText({ ...credentials, isNew: true }, PAGE, true);
    expect(text.match(/tm_secret/g)).toHaveLength(1);
  });

  it.each([
    ['at a later start', false, true],
    ['where the output is no terminal', true, false],
  ])('names the credentials file and holds no key %s', (_, isNew, isTerminal) => {
    const text = welcomeText({ ...credentials, isNew }, PAGE, isTerminal);
    expect(text).not.toContain('tm_secret');
    expect(text).toContain('Key    in .tidemark/credentials.json');
  });

  it('shows the link of the first owner on a terminal, otherwise the path of its file, and the sign-in page with the reason once there is an owner', () => {
    const setupUrl = 'http://127.0.0.1:8787/auth/setup#one-time';
    const text = (isTerminal: boolean, url = setupUrl) =>
      welcomeText({ ...credentials, setupUrl: url, isNew: false }, PAGE, isTerminal);
    expect(text(true)).toContain(setupUrl);
    expect(text(false)).not.toContain('one-time');
    expect(text(false)).toContain('Owner  the link that creates the first account is in .tidemark/credentials.json');
    for (const isTerminal of [true, false]) {
      expect(text(isTerminal, '')).toContain('Owner  signs in at http://127.0.0.1:8787/auth/login');
      expect(text(isTerminal, '')).toContain('the first account exists; a lost password: npm run reset-link');
    }
  });

  it('names the endpoint for agents', () => {
    expect(agentsText('http://127.0.0.1:8790/mcp')).toContain('http://127.0.0.1:8790/mcp (Model Context Protocol');
  });

  it('names the file of another data folder by its absolute path', () => {
    const elsewhere = { ...credentials, file: '/data/credentials.json', isNew: true };
    expect(welcomeText(elsewhere, PAGE, false)).toContain(`KEY=$(node -p 'require("/data/credentials.json").key')`);
    expect(sampleProjectText(elsewhere, 'prj_1')).not.toContain('.tidemark');
  });

  it('holds no key in the commands to paste', () => {
    const text = sampleProjectText({ ...credentials, isNew: true }, 'prj_1');
    expect(text).not.toContain('tm_secret');
    expect(text).toContain(`KEY=$(node -p 'require("./.tidemark/credentials.json").key')`);
  });
});
