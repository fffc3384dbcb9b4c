import { describe, expect, it } from '@jest/globals';
import { decode } from 'jpeg-js';
import { compareJpegs, comparePictures } from './compare-pictures.ts';
import { drawPage, fillRect, LINE, lineRange, toJpeg } from './fixtures/drawn-page.ts';
import type { Picture } from './picture.ts';

const page = drawPage(lineRange(1, 30));
const compare = (before: Picture, after: Picture) => comparePictures(before, after, { isDrawn: false });
/** Simulates storage as JPEG. */
const blurred = (picture: Picture): Picture => decode(toJpeg(picture), { useTArray: true });

const inserted = drawPage([...lineRange(1, 10), 900, 901, ...lineRange(11, 30)]);

describe('comparePictures', () => {
  it('finds no change between equal pictures', () => {
    expect(compare(page, page)).toMatchObject({ changedShare: 0, areas: [], isTruncated: false });
  });

  it('reports one area for an inserted paragraph that shifts the rest', () => {
    for (const [before, after] of [
      [page, inserted],
      [blurred(page), blurred(inserted)],
    ] as const) {
      const { areas, changedShare } = compare(before, after);
      expect(areas).toHaveLength(1);
      expect(areas[0]?.y).toBeGreaterThanOrEqual(10 * LINE);
      expect((areas[0]?.y ?? 0) + (areas[0]?.height ?? 0)).toBeLessThanOrEqual(12 * LINE + 1);
      expect(areas[0]?.height).toBeGreaterThan(LINE);
      expect(changedShare).toBeLessThan(2 / 32);
    }
  });

  it('reports one line with the removed height for a removed paragraph', () => {
    const { areas } = compare(blurred(inserted), blurred(page));
    expect(areas).toMatchObject([{ removedHeight: 2 * LINE, height: 1 }]);
    expect(Math.abs((areas[0]?.y ?? 0) - 10 * LINE)).toBeLessThan(LINE / 2);
  });

  it('reports each changed area, largest first', () => {
    const after = drawPage([...lineRange(1, 4), 700, ...lineRange(6, 19), 800, 801, 802, ...lineRange(23, 30)]);
    const { areas } = compare(blurred(page), blurred(after));
    expect(areas.map(({ y }) => Math.floor(y / LINE))).toEqual([19, 4]);
  });

  it('finds a small change on shifted rows', () => {
    const after: Picture = { ...inserted, data: Uint8Array.from(inserted.data) };
    fillRect(after, { x: 100, y: 20 * LINE + 4, width: 9, height: 12 }, [200, 30, 30]);
    const { areas } = compare(blurred(page), blurred(after));
    expect(areas).toHaveLength(2);
    expect(areas[1]).toMatchObject({ x: expect.closeTo(100, -1), width: expect.closeTo(9, -1) });
  });

  it('finds a pale background change', () => {
    const after: Picture = { ...page, data: Uint8Array.from(page.data) };
    fillRect(after, { x: 0, y: 0, width: 480, height: 20 }, [222, 222, 222]);
    expect(compare(blurred(page), blurred(after)).areas).toHaveLength(1);
  });

  it('does not report rows pushed below the edge of a viewport screenshot as removed', () => {
    const before = drawPage(lineRange(1, 20));
    const after = drawPage([...lineRange(1, 5), 900, 901, ...lineRange(6, 18)]);
    const { areas } = compare(blurred(before), blurred(after));
    expect(areas).toHaveLength(1);
    expect(areas[0]).toMatchObject({ removedHeight: 0 });
  });

  it('reports rows appended at the end of the page', () => {
    const { areas } = compare(page, drawPage([...lineRange(1, 30), 901, 902]));
    expect(areas).toHaveLength(1);
    expect(areas[0]?.y).toBeGreaterThanOrEqual(30 * LINE);
  });

  it('compares pictures of different width against background', () => {
    const wide = drawPage(lineRange(1, 30), 640);
    const { areas } = compare(page, wide);
    expect(areas.length).toBeGreaterThan(0);
    expect(Math.min(...areas.map(({ x }) => x))).toBeGreaterThan(400);
  });

  it('lists at most fifty areas and marks the result truncated', () => {
    const before = drawPage(lineRange(1, 30), 640);
    const after: Picture = { ...before, data: Uint8Array.from(before.data) };
    for (let y = 0; y < 30 * LINE; y += 80)
      for (let x = 0; x < 640; x += 80) fillRect(after, { x, y, width: 12, height: 12 }, [255, 0, 0]);
    const { areas, isTruncated } = compare(before, after);
    expect([areas.length, isTruncated]).toEqual([50, true]);
  });
});

describe('compareJpegs', () => {
  it('compares a tall page up to the height limit and reports cut', () => {
    const tall = drawPage(lineRange(1, 520), 64);
    const after: Picture = { ...tall, data: Uint8Array.from(tall.data) };
    fillRect(after, { x: 0, y: 12_100, width: 64, height: 100 }, [255, 0, 0]);
    expect(compareJpegs(toJpeg(tall), toJpeg(after), false)).toMatchObject({ shortfall: 'cut', changedShare: 0 });
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no JPEG', Buffer.from('<html>')],
    ['a truncated JPEG', toJpeg(page).subarray(0, 300)],
    ['a frame header without data', Buffer.from([0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0xff, 0xff, 0xff, 0xff, 3])],
  ])('reports unreadable when one file is %s', (_, broken) => {
    expect(compareJpegs(toJpeg(page), broken, true)).toMatchObject({ shortfall: 'unreadable', areas: [] });
  });
});
