import { routes } from '@tidemark/api';
import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import { type ComparePicturesResponse, DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { AppError, codeOf } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { EndpointResponse } from '../../http/endpoint.ts';
import { type Endpoint, endpoint } from '../../http/mount.ts';
import { PageFinder } from '../../queries/page-finder.ts';
import { type FoundPair, ReadingFinder } from './two-readings.ts';

export interface ScreenshotPeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
  readonly diff: Peer;
}

type Side = 'before' | 'after' | 'diff';

/** Deadline of a comparison, ms; longer than the time limit in diff including its queue. */
const COMPARE_MS = 40_000;
const READ_MS = 20_000;

/** Endpoint that compares the screenshots of two stored readings of a page. */
export function screenshotEndpoint({ projects, crawl, archive, diff }: ScreenshotPeers): Endpoint {
  const finder = new ReadingFinder({ projects, archive, diff }, new PageFinder(crawl, archive));
  return endpoint(routes.compareScreenshots, async ({ params, query, baseUrl, call, requestId }) => {
    const { url, run_id: runId, from, side } = query;
    const readings = await finder.find({ id: params.id, url, runId, from }, call);
    if (side === 'before' || side === 'after') return picture(side, await storedPicture(archive, readings, side, call));
    const draw = side === 'diff';
    const delta = await diff.call(Rpc.comparePictures, { readings, draw }, call, { deadlineMs: COMPARE_MS });
    if (draw) return picture('diff', delta.drawn);
    const linkTo = linksOf(baseUrl, readings);
    return { status: 200, body: { ...toScreenshots(delta, readings, linkTo), creditsUsed: 0, request_id: requestId } };
  });
}

const picture = (side: Side, bytes: Uint8Array): EndpointResponse<typeof routes.compareScreenshots> => {
  const [type, ending] = side === 'diff' ? ['image/png', 'png'] : ['image/jpeg', 'jpg'];
  const disposition = `inline; filename="screenshot-${side}.${ending}"`;
  return { status: 200, bytes, headers: { 'content-type': type, 'content-disposition': disposition } };
};

/** Returns a stored screenshot. @throws AppError not_found if the reading has none */
async function storedPicture(
  archive: Peer,
  readings: FoundPair,
  side: 'before' | 'after',
  call: CallContext,
): Promise<Uint8Array> {
  const [jobId, pageId] =
    side === 'before' ? [readings.beforeRunId, readings.beforePageId] : [readings.afterRunId, readings.afterPageId];
  try {
    const request = { jobId, pageId, kind: 'screenshot' as const, waitMs: 0 };
    return (await archive.call(Archive.readAttachment, request, call, { deadlineMs: READ_MS })).body;
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error;
    const which = side === 'before' ? 'earlier' : 'later';
    throw new AppError(
      'not_found',
      `the ${which} reading (run ${jobId}) has no screenshot; set config.screenshot to "viewport" or "full" to store screenshots from the next run on`,
    );
  }
}

/** Returns links that name both readings, so that their content never changes. */
const linksOf =
  (baseUrl: string, { projectId, url, beforeRunId, afterRunId }: FoundPair) =>
  (side: Side): string =>
    `${baseUrl}/projects/${projectId}/changes/screenshot?url=${encodeURIComponent(url)}&run_id=${afterRunId}&from=${beforeRunId}&side=${side}`;

function toScreenshots(
  { before, after, changedShare, areas, truncated, degraded }: ComparePicturesResponse,
  { url, beforeRunId, beforePageId, afterRunId, afterPageId }: FoundPair,
  linkTo: (side: Side) => string,
) {
  if (before === undefined || after === undefined) throw new AppError('internal', 'diff returned no pictures');
  return {
    url,
    before: { runId: beforeRunId, pageId: beforePageId, ...before, image: linkTo('before') },
    after: { runId: afterRunId, pageId: afterPageId, ...after, image: linkTo('after') },
    changedShare: changedShare ?? null,
    areas,
    truncated,
    heightDiffers: before.height !== after.height,
    image: linkTo('diff'),
    degraded: degraded ?? null,
  };
}
