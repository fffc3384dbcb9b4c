import { describe, expect, it } from '@jest/globals';
import { sampleProjectText, welcomeText } from './welcome.ts';

const PAGE = 'http://127.0.0.1:9/docs';
const credentials = { url: 'http://127.0.0.1:8787', key: 'tm_secret' };

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

  it('holds no key in the commands to paste', () => {
    expect(sampleProjectText(credentials, 'prj_1')).not.toContain('tm_secret');
  });
});
