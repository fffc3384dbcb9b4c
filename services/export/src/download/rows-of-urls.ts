import type { DatasetRow as Row } from '@tidemark/datasets';
import { urlKey } from '@tidemark/web-url';
import type { OpenDataset } from './peers.ts';

/** Restricts a dataset to the rows of these URLs, in the order of the dataset. The row of a moved page is also that of its previous URL. */
export function rowsOfUrls(table: OpenDataset<Row>, urls: readonly string[]): OpenDataset<Row> {
  if (urls.length === 0) return table;
  const keys = new Set(urls.filter((url) => URL.canParse(url)).map(urlKey));
  const isOfUrls = ({ url, movedFrom }: Row): boolean =>
    [url, movedFrom].some((each) => typeof each === 'string' && URL.canParse(each) && keys.has(urlKey(each)));
  async function* batches(): AsyncGenerator<readonly Row[]> {
    for await (const batch of table.batches) yield batch.filter(isOfUrls);
  }
  return { batches: batches(), rows: undefined, isComplete: table.isComplete };
}
