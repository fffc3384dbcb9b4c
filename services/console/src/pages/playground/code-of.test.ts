import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { codeOf } from './code-of.ts';
import { optionsIn } from './playground-view.ts';

const BASE = 'https://tidemark.example/v1';
const capture = {
  url: `https://example.com/?q='; rm -rf ~; echo '"$(id)`,
  config: { render_js: 'never', only_main_content: false, country: null, exclude_selectors: ["a[href='x']"] },
};

describe('the code of the playground', () => {
  it('keeps every text of the capture inside its quotes in a shell', () => {
    for (const [language, command] of [
      ['curl', 'curl'],
      ['cli', 'tidemark'],
    ] as const) {
      const script = `${command}() { printf '%s\\0' "$@"; }\n${codeOf(language, capture, BASE)}`;
      const args = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0');
      const found = language === 'curl' ? JSON.parse(args.at(-2) ?? '') : args;
      if (language === 'curl') expect(found).toEqual(capture);
      else
        expect(found).toEqual(
          expect.arrayContaining([capture.url, 'render_js=never', `exclude_selectors=["a[href='x']"]`]),
        );
    }
  });

  it('has the literals of each language', () => {
    const python = codeOf('python', capture, BASE);
    expect(python).toContain('"only_main_content": False, "country": None');
    expect(python).toContain('json={"url": "https://example.com/?q=\'; rm -rf ~; echo \'\\"$(id)"');
    expect(codeOf('typescript', capture, BASE)).toContain(`client.scrape(${JSON.stringify(capture.url)}, {`);
    expect(JSON.parse(codeOf('mcp', capture, BASE))).toEqual({ name: 'extract_url', arguments: capture });
    expect(codeOf('typescript', { url: 'https://a.example/', config: {} }, BASE)).not.toContain('config');
  });

  it('reads only texts from the options of a URL', () => {
    expect(optionsIn({ max_age_seconds: '60', retries: 3 })).toEqual({ max_age_seconds: '60' });
    expect(optionsIn('x')).toBeUndefined();
  });
});
