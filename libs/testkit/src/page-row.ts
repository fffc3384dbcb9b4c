import { PageRow } from '@tidemark/contracts/page/v1/page';

/** Makes the row of a page that was read. */
export const pageRow = (fields: Partial<PageRow> = {}): PageRow =>
  PageRow.fromPartial({ verdict: 'ok', errorCode: 'OK', ...fields });
