import { describe, expect, it } from '@jest/globals';
import { USUAL_CONTENT } from '../options/usual-content.ts';
import { previewContent } from './preview-content.ts';

const prose = '<p>The harbour was quiet that morning, and the boats, tied up two by two, hardly moved at all.</p>';

describe('previewContent', () => {
  it('returns what the options keep, what they omit, and notes on what failed', () => {
    const html = `<title>Boats</title><nav><a href="/">Home</a></nav><article><h1>Boats</h1>${prose.repeat(5)}<p class="x">Gone now</p></article>`;
    const preview = previewContent(html, 'https://site.example/', 'text/html', {
      ...USUAL_CONTENT,
      excludeSelectors: ['.x', 'p['],
      fields: { name: { selector: 'h1', type: 'string', many: false } },
    });
    expect(preview.markdown).toMatch(/^# Boats\n\nThe harbour/);
    expect(preview.text).not.toContain('Gone');
    expect(preview).toMatchObject({ title: 'Boats', language: 'en', fields: { name: 'Boats' } });
    expect(preview.removed.map(({ reason }) => reason).sort()).toEqual(['exclude_selectors', 'navigation']);
    expect(preview.notes).toEqual(['exclude_selectors: "p[": not a CSS selector']);
    expect(preview.keptShare).toBeGreaterThan(0.9);
    expect(preview.keptShare).toBeLessThan(1);
  });

  it('lists every omitted part, including parts without words, widgets and controls', () => {
    const html = `<main><h1>Boats</h1>${prose.repeat(8)}<iframe title="A map" src="https://maps.example/"></iframe>
      <video src="/v.mp4"></video><button>Follow us</button><div class="share-buttons"><a href="/s">Share</a></div>
      <img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"></main>
      <div id="cookie-banner">We use cookies to improve your visit.</div>${'<p class="x">Gone</p>'.repeat(300)}`;
    const content = { ...USUAL_CONTENT, onlyMainContent: false, excludeSelectors: ['.x'] };
    const { removed } = previewContent(html, 'https://site.example/', 'text/html', content);
    const reasons = Object.groupBy(removed, ({ reason }) => reason);
    expect(Object.keys(reasons).sort()).toEqual(['banner', 'base64 image', 'exclude_selectors', 'form', 'widget']);
    expect(reasons['exclude_selectors']).toHaveLength(300);
    expect(reasons['widget']?.map(({ text }) => text)).toEqual(['A map', '/v.mp4']);
    expect(reasons['form']?.map(({ text }) => text)).toEqual(['Follow us']);
  });

  it('returns an empty result for an empty page', () => {
    expect(previewContent('', 'https://site.example/', undefined, USUAL_CONTENT)).toMatchObject({
      words: 0,
      keptShare: 0,
    });
  });
});
