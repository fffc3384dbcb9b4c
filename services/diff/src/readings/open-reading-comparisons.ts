import type { Peer } from '@tidemark/service';
import type { ComparePool } from '../comparison/compare-pool.ts';
import { makeCompareScreenshots } from '../pictures/compare-screenshots.ts';
import { PictureComparer } from '../pictures/picture-comparer.ts';
import type { KnownPageStore } from '../store/known-page-store.ts';
import type { RecordReader } from '../store/record-views.ts';
import { MarkupPool } from './markup-pool.ts';
import { ReadingComparisonService } from './reading-comparison-service.ts';

export interface ReadingComparisonsDeps {
  readonly archive: Peer;
  readonly recordReader: RecordReader;
  readonly comparePool: ComparePool;
  readonly knownPages: Pick<KnownPageStore, 'loadVolatility'>;
}

/** Opens the comparisons of two stored readings that a request waits for. */
export function openReadingComparisons({ archive, recordReader, comparePool, knownPages }: ReadingComparisonsDeps) {
  const markupPool = new MarkupPool({ threads: 1 });
  const pictureComparer = new PictureComparer();
  const learnedVolatility = (projectId: string) => knownPages.loadVolatility(projectId);
  return {
    service: new ReadingComparisonService({ archive, recordReader, comparePool, markupPool, learnedVolatility }),
    compareScreenshots: makeCompareScreenshots({ archive, pictureComparer }),
    close: async (): Promise<void> => {
      await Promise.all([pictureComparer.close(), markupPool.close()]);
    },
  };
}
