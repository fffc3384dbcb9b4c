import { describe, expect, it } from '@jest/globals';
import { readingOf } from '../../test/fixtures/site-pages.ts';
import { GenericPageDetector, isGenericPage } from './generic-page-detector.ts';

describe('GenericPageDetector', () => {
  const reading = (page: number, text: string, title = `Page ${page}`) =>
    readingOf('run', `http://a.example/${page}`, { blocks: [text], reading: { title } });

  it('detects a generic page when pages with distinct content now show the same content', () => {
    const detector = new GenericPageDetector();
    for (let page = 0; page < 20; page += 1)
      detector.add(reading(page, `text ${page}`), reading(page, page < 8 ? 'sorry' : `text ${page}`));
    expect(isGenericPage(reading(0, 'sorry'), detector.genericSignatures())).toBe(true);
    expect(isGenericPage(reading(9, 'text 9'), detector.genericSignatures())).toBe(false);
  });

  it('detects a generic page by title and word count when each copy contains its own number', () => {
    const detector = new GenericPageDetector();
    for (let page = 0; page < 20; page += 1)
      detector.add(reading(page, `text ${page} long`), reading(page, `error ${page} happened`, 'Error'));
    expect(isGenericPage(reading(3, 'error 99 happened', 'Error'), detector.genericSignatures())).toBe(true);
  });

  it('detects nothing when pages were already identical before or only a few pages became identical', () => {
    const [unchanged, fewPages] = [new GenericPageDetector(), new GenericPageDetector()];
    for (let page = 0; page < 20; page += 1) {
      unchanged.add(reading(page, 'soon', 'Shop'), reading(page, 'open', 'Shop'));
      fewPages.add(reading(page, `text ${page}`), reading(page, page < 4 ? 'sold out' : `other ${page}`));
    }
    expect([unchanged.genericSignatures().size, fewPages.genericSignatures().size]).toEqual([0, 0]);
  });
});
