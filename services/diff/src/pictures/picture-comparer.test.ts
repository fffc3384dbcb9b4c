import { afterEach, describe, expect, it } from '@jest/globals';
import { drawPage, lineRange, toJpeg } from './fixtures/drawn-page.ts';
import { PictureComparer, type PictureComparerOptions } from './picture-comparer.ts';

const before = toJpeg(drawPage(lineRange(1, 12)));
const after = toJpeg(drawPage([...lineRange(1, 6), 77, ...lineRange(7, 12)]));
const task = { before, after, isDrawn: false };

let comparer: PictureComparer;
const open = (options: PictureComparerOptions = {}): PictureComparer => {
  comparer = new PictureComparer(options);
  return comparer;
};
afterEach(() => comparer.close());

describe('PictureComparer', () => {
  it('returns the changes and draws them on request', async () => {
    const delta = await open().compare({ ...task, isDrawn: true });
    expect(delta).toMatchObject({ shortfall: undefined, areas: [{ removedHeight: 0 }] });
    expect(
      Buffer.from(delta.drawn ?? [])
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
  });

  it('reports out_of_time above the time limit', async () => {
    const delta = await open({ timeoutMs: 1 }).compare(task);
    expect(delta).toMatchObject({ shortfall: 'out_of_time', changedShare: undefined, areas: [] });
  });

  it('queues comparisons and rejects them when the queue is full', async () => {
    const comparing = open({ maxWaiting: 1 });
    const [first, second] = [comparing.compare(task), comparing.compare(task)];
    await expect(comparing.compare(task)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(Promise.all([first, second])).resolves.toMatchObject([
      { shortfall: undefined },
      { shortfall: undefined },
    ]);
  });

  it('rejects a comparison queued too long and continues with later ones', async () => {
    const comparing = open({ maxWaitMs: 1 });
    const first = comparing.compare(task);
    await expect(comparing.compare(task)).rejects.toMatchObject({ code: 'unavailable' });
    await first;
    await expect(comparing.compare(task)).resolves.toMatchObject({ shortfall: undefined });
  });

  it('rejects the running comparison and later ones when it is closed', async () => {
    const closing = open();
    const first = closing.compare(task).catch((error: unknown) => error);
    await closing.close();
    expect(await first).toMatchObject({ code: 'unavailable' });
    await expect(closing.compare(task)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
