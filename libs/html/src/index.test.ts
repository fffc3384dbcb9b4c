import { describe, expect, it } from '@jest/globals';
import { escapeHtml, escapeTags } from './index.ts';

const HOSTILE = `<a href="x" title='y'>&amp;</a>`;

describe('escapeHtml', () => {
  it('escapes what could end text or a quoted attribute value', () => {
    expect(escapeHtml(HOSTILE)).toBe('&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;');
  });

  it('keeps every other character', () => {
    expect(escapeHtml('Größe = 5 µm\n“quoted” `code`\u00a0')).toBe('Größe = 5 µm\n“quoted” `code`\u00a0');
  });
});

describe('escapeTags', () => {
  it('escapes ampersands and angle brackets and keeps quotes', () => {
    expect(escapeTags(HOSTILE)).toBe(`&lt;a href="x" title='y'&gt;&amp;amp;&lt;/a&gt;`);
  });
});
