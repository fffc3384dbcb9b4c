import type { FindReadingResponse } from '@tidemark/contracts/archive/v1/archive';
import { isGood } from '../domain/page-history.ts';
import type { HistoryStore, PageOfProject } from '../store/history-store.ts';
import { noReading, toReadingRef } from './list-versions.ts';

/** Returns the last good reading of a page that is not later than a time. @throws AppError not_found if no reading of the page is stored */
export type FindReading = (page: PageOfProject, at: Date) => Promise<FindReadingResponse>;

export function makeFindReading({ history }: { readonly history: HistoryStore }): FindReading {
  return async (page, at) => {
    const { readings, deletedTo } = await history.readingsOf(page);
    if (readings.length === 0) throw noReading();
    const found = readings.findLast((reading) => isGood(reading) && reading.crawledAt.getTime() <= at.getTime());
    return { reading: found && toReadingRef(found), completeSince: deletedTo };
  };
}
