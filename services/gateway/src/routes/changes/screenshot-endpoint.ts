import { routes } from '@tidemark/api';
import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import {
  type ComparePicturesResponse,
  type ReadingPair,
  DiffServiceService as Rpc,
} from '@tidemark/contracts/diff/v1/diff';
import { AppError, codeOf } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type Endpoint, endpoint } from '../../mount.ts';
import type { Answer } from '../../request-context.ts';
import { oneOf } from '../one-of.ts';
import { PageFinder } from '../pages/page-finder.ts';
import { ReadingFinder } from './two-readings.ts';

export interface ScreenshotPeers {
  readonly projects: Peer;
  readonly crawl: Peer;
  readonly archive: Peer;
  readonly diff: Peer;
}

type Side = 'before' | 'after' | 'diff';

const SHORTFALLS = ['cut', 'out_of_time', 'unreadable'] as const;
/** Longer than the longest comparison and its wait for others. */
const COMPARE_MS = 40_000;
const READ_MS = 20_000;

/** The screenshots of two stored readings of one page. */
export function screenshotEndpoint({ projects, crawl, archive, diff }: ScreenshotPeers): Endpoint {
  const finder = new ReadingFinder({ projects, archive }, new PageFinder(crawl, archive));
  return endpoint(routes.compareScreenshots, async ({ params, query, baseUrl, call, requestId }) => {
    const { url, run_id: runId, from, side } = query;
    const readings = await finder.find({ id: params.id, url, runId, from }, call);
    if (side === 'before' || side === 'after') return picture(side, await keptPicture(archive, readings, side, call));
    const draw = side === 'diff';
    const delta = await diff.call(Rpc.comparePictures, { readings, draw }, call, { deadlineMs: COMPARE_MS });
    if (draw) return picture('diff', delta.drawn);
    const linkTo = linksOf(baseUrl, readings);
    return { status: 200, body: { ...toScreenshots(delta, readings, linkTo), creditsUsed: 0, request_id: requestId } };
  });
}

const picture = (side: Side, bytes: Uint8Array): Answer => {
  const [type, ending] = side === 'diff' ? ['image/png', 'png'] : ['image/jpeg', 'jpg'];
  const disposition = `inline; filename="screenshot-${side}.${ending}"`;
  return { status: 200, bytes, headers: { 'content-type': type, 'content-disposition': disposition } };
};

/** @throws AppError not_found where the reading kept none */
async function keptPicture(
  archive: Peer,
  readings: ReadingPair,
  side: 'before' | 'after',
  call: CallContext,
): Promise<Uint8Array> {
  const [jobId, pageId] =
    side === 'before' ? [readings.beforeRunId, readings.beforePageId] : [readings.afterRunId, readings.afterPageId];
  try {
    const wanted = { jobId, pageId, kind: 'screenshot', waitMs: 0 };
    return (await archive.call(Archive.readAttachment, wanted, call, { deadlineMs: READ_MS })).body;
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error;
    const which = side === 'before' ? 'earlier' : 'later';
    throw new AppError(
      'not_found',
      `the ${which} reading (of ${jobId}) has no screenshot; config.screenshot "viewport" or "full" stores one for every page from the next run on`,
    );
  }
}

/** Links that name both readings, so that they show the same for ever. */
const linksOf =
  (baseUrl: string, { projectId, url, beforeRunId, afterRunId }: ReadingPair) =>
  (side: Side): string =>
    `${baseUrl}/projects/${projectId}/changes/screenshot?url=${encodeURIComponent(url)}&run_id=${afterRunId}&from=${beforeRunId}&side=${side}`;

function toScreenshots(
  { before, after, changedShare, areas, truncated, degraded }: ComparePicturesResponse,
  { url, beforeRunId, beforePageId, afterRunId, afterPageId }: ReadingPair,
  linkTo: (side: Side) => string,
) {
  if (before === undefined || after === undefined) throw new AppError('internal', 'a comparison told of no pictures');
  return {
    url,
    before: { runId: beforeRunId, pageId: beforePageId, ...before, image: linkTo('before') },
    after: { runId: afterRunId, pageId: afterPageId, ...after, image: linkTo('after') },
    changedShare: changedShare ?? null,
    areas,
    truncated,
    heightDiffers: before.height !== after.height,
    image: linkTo('diff'),
    degraded: degraded === '' ? null : oneOf(SHORTFALLS, degraded),
  };
}
