import type { AuditEntry, routes } from '@tidemark/api';
import type { EndpointResponse } from '../../http/endpoint.ts';

const COLUMNS = ['id', 'at', 'action', 'keyId', 'memberId', 'actor', 'subjectId', 'detail', 'ip', 'userAgent'] as const;
const TYPES = { jsonl: 'application/x-ndjson', csv: 'text/csv; charset=utf-8; header=present' } as const;

/** Returns entries as a file that is streamed page by page, after a first page. */
export function auditFile(
  format: keyof typeof TYPES,
  first: readonly AuditEntry[],
  rest: AsyncIterable<readonly AuditEntry[]>,
): EndpointResponse<typeof routes.exportAudit> {
  const stop = new AbortController();
  const write = format === 'csv' ? csvLine : jsonLine;
  const encode = (page: readonly AuditEntry[]) => Buffer.from(page.map(write).join(''));
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (format === 'csv') yield Buffer.from(`${COLUMNS.join(',')}\r\n`);
    yield encode(first);
    for await (const page of rest) {
      if (stop.signal.aborted) return;
      yield encode(page);
    }
  }
  const headers = {
    'content-type': TYPES[format],
    'content-disposition': `attachment; filename="audit.${format}"`,
    'cache-control': 'no-store',
  };
  return { status: 200, headers, file: { chunks: chunks(), stop } };
}

const jsonLine = (entry: AuditEntry): string => `${JSON.stringify(entry)}\n`;

/** Returns a row of a CSV file (RFC 4180). A cell that a spreadsheet would run as a formula is prefixed with an apostrophe. */
export function csvLine(entry: AuditEntry): string {
  const cells = COLUMNS.map((name) => {
    const value = entry[name];
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? '');
    const guarded = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
    return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
  });
  return `${cells.join(',')}\r\n`;
}
