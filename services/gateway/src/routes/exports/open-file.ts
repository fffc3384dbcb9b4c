import type { routes } from '@tidemark/api';
import {
  ExportDatasetRequest,
  type ExportDatasetResponse,
  type FileDescription,
  ExportServiceService as Rpc,
} from '@tidemark/contracts/export/v1/export';
import { AppError } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { EndpointResponse } from '../../http/endpoint.ts';

/** Longest time for a whole file, ms. */
const FILE_DEADLINE_MS = 6 * 3_600_000;

const FILE_TYPES: Readonly<Record<string, string>> = { gz: 'application/gzip', zst: 'application/zstd' };

interface Reader {
  readonly call: CallContext;
  readonly acceptEncoding: string;
}

/** Opens a file at the export service. Faults of the request are thrown before the first byte. @throws AppError */
export async function openFile(
  peer: Peer,
  request: Partial<ExportDatasetRequest>,
  { call, acceptEncoding }: Reader,
): Promise<EndpointResponse<typeof routes.exportProject>> {
  const encoding = request.compression === undefined ? transferEncoding(acceptEncoding) : undefined;
  const message = ExportDatasetRequest.fromPartial({
    ...request,
    compression: request.compression ?? encoding,
  });
  const stop = new AbortController();
  const parts = peer.stream(Rpc.exportDataset, message, call, { deadlineMs: FILE_DEADLINE_MS, signal: stop.signal });
  const iterator = parts[Symbol.asyncIterator]();
  const first = await iterator.next();
  const description =
    first.done === true || first.value.part?.$case !== 'description' ? undefined : first.value.part.value;
  if (description === undefined) throw new AppError('internal', 'export returned no description of the file');
  return {
    status: 200,
    headers: headersOf(description, request, encoding),
    file: { chunks: chunksOf(iterator), stop },
  };
}

async function* chunksOf(iterator: AsyncIterator<ExportDatasetResponse>): AsyncGenerator<Uint8Array> {
  try {
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next())
      if (next.value.part?.$case === 'chunk') yield next.value.part.value;
  } finally {
    await iterator.return?.();
  }
}

/** Returns the compression of the transfer: of the two that export writes, the one that the client lists. */
function transferEncoding(acceptEncoding: string): 'zstd' | 'gzip' | undefined {
  const accepted = acceptEncoding
    .split(',')
    .map((item) =>
      item
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/),
    )
    .filter(([, weight]) => weight === undefined || !/^q=0(?:\.0*)?$/.test(weight))
    .map(([name]) => name);
  return (['zstd', 'gzip'] as const).find((name) => accepted.includes(name));
}

function headersOf(
  { contentType, extension, rows, isComplete, unknownUrls }: FileDescription,
  { dataset = '', runId, projectId = '' }: Partial<ExportDatasetRequest>,
  encoding: 'zstd' | 'gzip' | undefined,
): Record<string, string> {
  // A WARC file is compressed by its format, record by record, whatever the transfer.
  const compressed = extension === 'warc.gz' ? undefined : /\.(gz|zst)$/.exec(extension)?.[1];
  const isEncoded = encoding !== undefined && compressed !== undefined;
  const ending = isEncoded ? extension.replace(/\.\w+$/, '') : extension;
  const name = `${dataset}-${runId ?? projectId}.${ending}`;
  return {
    'content-type': isEncoded || compressed === undefined ? contentType : (FILE_TYPES[compressed] ?? contentType),
    'content-disposition': `attachment; filename="${name}"`,
    'cache-control': 'private, no-store',
    vary: 'accept-encoding',
    'export-complete': String(isComplete),
    ...(runId === undefined ? {} : { 'export-run': runId }),
    ...(isEncoded ? { 'content-encoding': encoding } : {}),
    ...(rows === undefined ? {} : { 'export-rows': String(rows) }),
    ...(unknownUrls === 0 ? {} : { 'export-unknown-urls': String(unknownUrls) }),
  };
}
