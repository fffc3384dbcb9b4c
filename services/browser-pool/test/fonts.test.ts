import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { needs } from '@tidemark/testkit/needs';
import { hasBrowserFonts } from '../../../deploy/local/parts/browser-fonts.ts';
import { TOOLS_DIR } from '../../../deploy/local/stack-context.ts';
import { jpegSize } from './jpeg.ts';
import { serveSite, startTestPool, type TestPool, type TestSite, testChromium } from './test-pool.ts';

/** Draws each character on a canvas and writes what it looks like into the document. */
const DRAWN = `<p id="out"></p><script>
  const drawn = [...'漢字かな한국😀🚗'].map((character) => {
    const canvas = document.createElement('canvas');
    canvas.width = canvas.height = 40;
    const context = canvas.getContext('2d');
    context.font = '28px sans-serif';
    context.fillText(character, 2, 32);
    const { data } = context.getImageData(0, 0, 40, 40);
    let ink = 0;
    let colours = 0;
    for (let at = 0; at < data.length; at += 4) {
      if (data[at + 3] > 0) ink += 1;
      if (data[at] !== data[at + 1] || data[at + 1] !== data[at + 2]) colours += 1;
    }
    return [character, ink, colours, data.join('').length + ':' + data.reduce((sum, value, at) => (sum * 31 + value + at) % 1e9, 7)];
  });
  document.getElementById('out').textContent = JSON.stringify(drawn);
</script>`;

let site: TestSite;
let pool: TestPool;
let bare: TestPool;
let folder = '';

beforeAll(async () => {
  site = await serveSite({
    '/drawn': DRAWN,
    '/cjk': '<p>漢字かな 한국</p>',
    '/emoji': '<p>😀</p>',
    '/latin': '<p>Łódź, Ñandú, Ελλάδα</p>',
  });
  pool = await startTestPool([site]);
  folder = mkdtempSync(join(tmpdir(), 'tidemark-fonts-'));
  bare = await startTestPool([site], { CHROMIUM_PATH: await launcherWithoutFonts() });
});
afterAll(async () => {
  await pool.close();
  await bare.close();
  await site.close();
  rmSync(folder, { recursive: true });
});

/** Writes a launcher of the browser with its own few fonts, which have Latin, Greek and Cyrillic. */
async function launcherWithoutFonts(): Promise<string> {
  const dir = dirname(await testChromium());
  const fonts = join(folder, 'fonts.conf');
  const own = `<dir>${join(dir, 'fonts/fonts')}</dir><cachedir>${join(folder, 'cache')}</cachedir>`;
  writeFileSync(fonts, `<?xml version="1.0"?><fontconfig>${own}</fontconfig>`);
  const libraries = join(dir, 'al2023/lib');
  const lines = [
    '#!/bin/sh',
    `export FONTCONFIG_FILE='${fonts}'`,
    ...(existsSync(libraries) ? [`export LD_LIBRARY_PATH='${libraries}'`] : []),
    `exec setpriv --pdeathsig KILL -- '${join(dir, 'chromium')}' "$@"`,
  ];
  const launcher = join(folder, 'launch');
  writeFileSync(launcher, `${lines.join('\n')}\n`, { mode: 0o755 });
  return launcher;
}

const shoot = (from: TestPool, path: string) => from.render(`${site.url}${path}`, { screenshot: true });

needs('browser-fonts', hasBrowserFonts(TOOLS_DIR), () =>
  describe('a page in Chinese, Japanese, Korean or with emoji', () => {
    it('is drawn with a shape of its own for each character, and emoji in colour', async () => {
      const { html } = await pool.render(`${site.url}/drawn`);
      const [, json = '[]'] = /<p id="out">([^<]*)</.exec(html) ?? [];
      const drawn: [string, number, number, string][] = JSON.parse(json);
      expect(drawn).toHaveLength(8);
      for (const [character, ink] of drawn)
        expect({ character, isDrawn: ink > 40 }).toEqual({ character, isDrawn: true });
      expect(new Set(drawn.map(([, , , shape]) => shape)).size).toBe(8);
      for (const [, , colours] of drawn.slice(6)) expect(colours).toBeGreaterThan(100);
    });

    it('has a screenshot without a warning', async () => {
      for (const path of ['/cjk', '/emoji', '/latin']) {
        const { screenshot, warnings } = await shoot(pool, path);
        expect({ path, warnings }).toEqual({ path, warnings: [] });
        expect(jpegSize(screenshot).width).toBe(1280);
      }
    });
  }),
);

describe('a browser without fonts for a script', () => {
  it('returns a screenshot with a warning that names the script, and none for a page that it can show', async () => {
    expect((await shoot(bare, '/cjk')).warnings).toEqual(['screenshot: no font for Chinese, Japanese or Korean']);
    expect((await shoot(bare, '/emoji')).warnings).toEqual(['screenshot: no font for emoji']);
    const { screenshot, warnings } = await shoot(bare, '/latin');
    expect({ warnings, width: jpegSize(screenshot).width }).toEqual({ warnings: [], width: 1280 });
  });
});
