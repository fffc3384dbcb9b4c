import { describe, expect, it } from '@jest/globals';
import { MARKUP_ATTACKS } from '@tidemark/testkit/cases/markup-attacks';
import { casesOf, rowsOf } from '@tidemark/testkit/cases/rule-cases';
import { dangersIn } from '../../test/dangers-in.ts';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { readPage } from '../page/read-page.ts';

const clean = (html: string, onlyMainContent = false): string =>
  readPage({
    html,
    url: 'https://site.example/a/',
    content: { ...USUAL_CONTENT, onlyMainContent },
    outputs: new Set(['cleanHtml']),
  }).cleanHtml ?? '';

describe('toCleanHtml', () => {
  it('keeps structure and drops handlers, styles, scripts and forms', () => {
    expect(
      clean('<p style="x" onclick="y" class="z">a <b>b</b></p><script>1</script><form><input><p>kept</p></form>'),
    ).toBe('<p>a <b>b</b></p><div><p>kept</p></div>');
  });

  it('makes URLs absolute and drops script URLs', () => {
    expect(clean('<a href="b">x</a> <a href=" java\nscript:alert(1)">y</a> <img src="/i.png" onerror=1>')).toBe(
      '<a href="https://site.example/a/b" rel="nofollow noopener noreferrer">x</a> <a>y</a> <img src="https://site.example/i.png" alt="">',
    );
  });

  it('escapes text so that a second parser finds no markup in it', () => {
    expect(clean('<p>&lt;img src=x onerror=alert(1)&gt; &amp;lt;</p>')).toBe(
      '<p>&lt;img src=x onerror=alert(1)&gt; &amp;lt;</p>',
    );
    expect(
      dangersIn(
        clean('<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">'),
      ),
    ).toEqual([]);
    expect(dangersIn(clean('<svg></p><style><a id="</style><img src=1 onerror=alert(1)>">'))).toEqual([]);
  });

  it.each(rowsOf(MARKUP_ATTACKS))('keeps nothing that runs or loads, read by two parsers: %s: %s', (_rule, markup) => {
    const page = `<article><p>A page of some words, so that it has content around the attack.</p>${markup}</article>`;
    for (const html of [markup, page])
      for (const main of [false, true]) expect(dangersIn(clean(html, main))).toEqual([]);
  });

  it('is tested with attacks of which most run or load something where they are not cleaned', () => {
    const attacks = casesOf(MARKUP_ATTACKS);
    const harmless = attacks.filter((markup) => dangersIn(markup).length === 0);
    expect(harmless.length).toBeLessThan(attacks.length / 8);
  });
});
