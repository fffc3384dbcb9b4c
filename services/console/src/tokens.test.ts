import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../../..');

type Theme = 'light' | 'dark';

/** Returns the colours of each theme that a style sheet defines, by name. A theme that is defined twice must be equal both times. */
function coloursOf(path: string): Record<Theme, Record<string, string>> {
  const themes = { light: {}, dark: {} };
  const css = readFileSync(join(ROOT, path), 'utf8');
  for (const [, theme = '', block = ''] of css.matchAll(/color-scheme: (light|dark);([^}]*)\}/g)) {
    const colours = Object.fromEntries(
      [...block.matchAll(/--([a-z-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]),
    );
    const known = themes[theme as Theme];
    if (Object.keys(known).length > 0) expect(colours).toEqual(known);
    Object.assign(known, colours);
  }
  return themes;
}

describe('the colours of documents outside the console', () => {
  const tokens = coloursOf('services/console/src/tokens.css');

  it('are those of the tokens on the pages of accounts', () => {
    const pages = coloursOf('libs/web-pages/browser/accounts/pages.css');
    expect(Object.keys(pages.light)).toEqual(Object.keys(pages.dark));
    expect(Object.keys(pages.light).length).toBeGreaterThan(8);
    for (const theme of ['light', 'dark'] as const) expect(tokens[theme]).toMatchObject(pages[theme]);
  });

  it.each(['compared-page/compared-page.css', 'stored-page/stored-page.css'])('are among the tokens in %s', (path) => {
    const css = readFileSync(join(ROOT, 'libs/web-pages/browser', path), 'utf8');
    const known = [...Object.values(tokens.light), ...Object.values(tokens.dark), '#fff'];
    for (const [colour] of css.matchAll(/#[0-9a-f]{3,6}\b/g)) expect(known).toContain(colour);
  });
});
