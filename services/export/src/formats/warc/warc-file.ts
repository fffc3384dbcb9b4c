import type { ArchivedPage } from '@tidemark/contracts/archive/v1/archive';
import type { DatasetRow as Row } from '@tidemark/datasets';
import { type PageRecords, pageRecords } from './page-records.ts';
import { encodeRecord, recordId, type WarcRecord } from './warc-record.ts';

/** A page of the dataset `evidence`, whose rows hold pages as they are stored. */
export interface EvidencePage {
  readonly runId: string;
  readonly page: ArchivedPage;
}

/** One written page, with the place of its main record. */
export interface WrittenPage extends Omit<PageRecords, 'records'> {
  readonly offset: number;
  readonly length: number;
  readonly isIndexed: boolean;
}

const SOFTWARE = 'Tidemark';

/** Encodes pages as a WARC file, one gzip member for each record. `onPage` receives the place of each page. */
export async function* encodeWarc(
  batches: AsyncIterable<readonly Row[]>,
  onPage: (page: WrittenPage) => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  let offset = 0;
  let hasInfo = false;
  for await (const rows of batches) {
    for (const row of rows) {
      const evidence = evidenceOf(row);
      if (!hasInfo) {
        const info = await encodeRecord(infoRecord(evidence.runId));
        offset += info.length;
        hasInfo = true;
        yield info;
      }
      const page = pageRecords(evidence.page, evidence.runId);
      if (page === undefined) continue;
      const { records, ...rest } = page;
      const members = await Promise.all(records.map(encodeRecord));
      const [main] = members;
      onPage({ ...rest, offset, length: main?.length ?? 0, isIndexed: records[0]?.type !== 'metadata' });
      for (const member of members) {
        offset += member.length;
        yield member;
      }
    }
  }
  if (!hasInfo) yield encodeRecord(infoRecord(''));
}

function infoRecord(runId: string): WarcRecord {
  const lines = [
    `software: ${SOFTWARE}`,
    'format: WARC File Format 1.1',
    'conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/',
    `isPartOf: ${runId}`,
    'description: response records contain the bytes that the server sent, after content decoding; other pages are resource or conversion records. The metadata record of each page is its receipt. Values of cookies and credentials are replaced by ***.',
  ];
  return {
    type: 'warcinfo',
    id: recordId(runId, 'warcinfo'),
    date: new Date(0),
    contentType: 'application/warc-fields',
    fields: {},
    block: Buffer.from(`${lines.join('\r\n')}\r\n`),
  };
}

function evidenceOf(row: Row): EvidencePage {
  const { runId, page } = row;
  if (typeof runId !== 'string' || !isArchivedPage(page)) throw new Error('the row is no page of the dataset evidence');
  return { runId, page };
}

const isArchivedPage = (value: unknown): value is ArchivedPage =>
  typeof value === 'object' && value !== null && 'page' in value && 'known' in value;
