import { describe, expect, it } from '@jest/globals';
import { ScrapeResponse } from '@tidemark/contracts/scrape/v1/scrape';
import { countCpuMs, pageRow } from '@tidemark/testkit';
import { serializeScrape } from './serialize-scrape.ts';

const responseOf = (bytes: number): ScrapeResponse =>
  ScrapeResponse.fromPartial({
    job: { id: 'job_1', kind: 'scrape', status: 'done' },
    page: {
      row: pageRow({ id: 'cap_1', url: 'https://example.com/', title: 'Tides' }),
      bodies: Buffer.alloc(bytes, 'tide'),
    },
    replayed: true,
  });

describe('serializeScrape', () => {
  it.each([0, 1_000, 300_000, 9_000_000])(
    'writes a response with bodies of %d bytes that decodes to itself',
    (bytes) => {
      const response = responseOf(bytes);
      const decoded = ScrapeResponse.decode(serializeScrape(response));
      expect({ ...decoded, page: { ...decoded.page, bodies: undefined } }).toEqual({
        ...response,
        page: { ...response.page, bodies: undefined },
      });
      expect(decoded.page?.bodies.equals(response.page?.bodies ?? Buffer.alloc(0))).toBe(true);
    },
  );

  it('takes less CPU time than the generated writer for large bodies', () => {
    const response = responseOf(9_000_000);
    const cpuMs = (write: () => unknown): number => {
      const cpu = countCpuMs();
      for (let at = 0; at < 4; at += 1) write();
      return cpu();
    };
    // In turns, and the least of each: pages of memory cost more while other processes take some.
    const rounds = Array.from({ length: 6 }, () => ({
      own: cpuMs(() => serializeScrape(response)),
      generated: cpuMs(() => Buffer.from(ScrapeResponse.encode(response).finish())),
    }));
    expect(Math.min(...rounds.map(({ own }) => own))).toBeLessThan(
      Math.min(...rounds.map(({ generated }) => generated)),
    );
  });
});
