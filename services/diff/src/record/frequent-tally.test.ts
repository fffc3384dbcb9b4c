import { describe, expect, it } from '@jest/globals';
import { readingOf } from './fixtures/site-pages.ts';
import { FrequentTally } from './frequent-tally.ts';
import { isFlooded, SiteFace } from './site-face.ts';

describe('a tally', () => {
  it('keeps what is frequent among more keys than it has room for', () => {
    const tally = new FrequentTally<undefined>(100);
    for (let at = 0; at < 100_000; at += 1) {
      tally.add(`rare ${at}`, () => undefined);
      if (at % 10 === 0) tally.add('frequent', () => undefined);
    }
    expect(tally.countOf('frequent')).toBe(10_000);
    expect([...tally.entries()].length).toBeLessThanOrEqual(100);
  });
});

describe('the face of a site', () => {
  const reading = (page: number, text: string, title = `Page ${page}`) =>
    readingOf('run', `http://a.example/${page}`, { blocks: [text], reading: { title } });

  it('is found where pages that differed show one and the same', () => {
    const face = new SiteFace();
    for (let page = 0; page < 20; page += 1)
      face.see(reading(page, `text ${page}`), reading(page, page < 8 ? 'sorry' : `text ${page}`));
    expect(isFlooded(reading(0, 'sorry'), face.floods())).toBe(true);
    expect(isFlooded(reading(9, 'text 9'), face.floods())).toBe(false);
  });

  it('is found by its title where each answer has a number of its own', () => {
    const face = new SiteFace();
    for (let page = 0; page < 20; page += 1)
      face.see(reading(page, `text ${page} long`), reading(page, `error ${page} happened`, 'Error'));
    expect(isFlooded(reading(3, 'error 99 happened', 'Error'), face.floods())).toBe(true);
  });

  it('is none where pages were alike all along, or a few are', () => {
    const [alike, few] = [new SiteFace(), new SiteFace()];
    for (let page = 0; page < 20; page += 1) {
      alike.see(reading(page, 'soon', 'Shop'), reading(page, 'open', 'Shop'));
      few.see(reading(page, `text ${page}`), reading(page, page < 4 ? 'sold out' : `other ${page}`));
    }
    expect([alike.floods().size, few.floods().size]).toEqual([0, 0]);
  });
});
