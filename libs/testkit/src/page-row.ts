import { PageRow, RunPage } from '@tidemark/contracts/page/v1/page';

/** Makes the row of a page that was read. */
export const pageRow = (fields: Partial<PageRow> = {}): PageRow =>
  PageRow.fromPartial({ verdict: 'ok', errorCode: 'OK', ...fields });

/** Makes a page of a run that was found through a link. */
export const runPage = (fields: Partial<RunPage> = {}): RunPage => RunPage.fromPartial({ foundVia: 'link', ...fields });
