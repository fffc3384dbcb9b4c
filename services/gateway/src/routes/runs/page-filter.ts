import type { PAGE_FLAGS, PageRow } from '@tidemark/api';

export interface PageFilter {
  readonly v?: PageRow['verdict'] | undefined;
  readonly flag?: (typeof PAGE_FLAGS)[number] | undefined;
}

const READ: readonly PageRow['verdict'][] = ['ok', 'thin', 'skipped', 'cached'];

const isDead = ({ verdict, httpStatus }: PageRow): boolean =>
  verdict !== 'robots' && (httpStatus === null || httpStatus >= 400);

/** Which pages a flag stands for: the same as are in that set of the run's link graph. */
const FLAGS: Readonly<Record<(typeof PAGE_FLAGS)[number], (row: PageRow) => boolean>> = {
  orphan: ({ orphan }) => orphan === true,
  unlisted: ({ unlisted, verdict }) => unlisted === true && READ.includes(verdict),
  dead_end: (row) => (row.inLinks ?? 0) > 0 && isDead(row),
};

/** Whether a page is among those asked for. */
export const isWanted = (row: PageRow, { v, flag }: PageFilter): boolean =>
  (v === undefined || row.verdict === v) && (flag === undefined || FLAGS[flag](row));
