import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import type { ComparePicturesResponse, PictureSize, ReadingPair } from '@tidemark/contracts/diff/v1/diff';
import { AppError, codeOf } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type PictureDelta, type Shortfall, unknownDelta } from '../pictures/compare-pictures.ts';
import type { PictureComparer } from '../pictures/picture-comparer.ts';
import { sizeOfJpeg } from '../pictures/read-jpeg.ts';

const READ_TIMEOUT_MS = 20_000;

export interface CompareScreenshotsDeps {
  readonly archive: Peer;
  readonly pictureComparer: PictureComparer;
}

/**
 * Compares the screenshots of two stored readings of a page. Fetches nothing from the web and writes nothing.
 * @throws AppError not_found if a reading has no screenshot, or a drawing is requested and a screenshot cannot be decoded; unavailable if a
 * requested drawing is not finished in time
 */
export type CompareScreenshots = (
  call: CallContext,
  readings: ReadingPair | undefined,
  isDrawn: boolean,
) => Promise<ComparePicturesResponse>;

export const makeCompareScreenshots =
  ({ archive, pictureComparer }: CompareScreenshotsDeps): CompareScreenshots =>
  async (call, readings, isDrawn) => {
    if (readings === undefined) throw new AppError('validation', 'readings: required');
    const { beforeRunId, beforePageId, afterRunId, afterPageId } = readings;
    const [before, after] = await Promise.all([
      loadScreenshot(archive, { which: 'earlier', jobId: beforeRunId, pageId: beforePageId }, call),
      loadScreenshot(archive, { which: 'later', jobId: afterRunId, pageId: afterPageId }, call),
    ]);
    const delta =
      !isDrawn && before.equals(after) ? NO_CHANGES : await pictureComparer.compare({ before, after, isDrawn });
    if (isDrawn && delta.drawn === undefined) throw notDrawn(delta.shortfall);
    return { before: sizeOf(before), after: sizeOf(after), ...toWirePictures(delta) };
  };

interface ScreenshotRef {
  readonly which: 'earlier' | 'later';
  readonly jobId: string;
  readonly pageId: string;
}

async function loadScreenshot(
  archive: Peer,
  { which, jobId, pageId }: ScreenshotRef,
  call: CallContext,
): Promise<Buffer> {
  const request = { jobId, pageId, kind: 'screenshot', waitMs: 0 };
  try {
    return (await archive.call(Archive.readAttachment, request, call, { deadlineMs: READ_TIMEOUT_MS })).body;
  } catch (error) {
    if (codeOf(error) !== 'not_found') throw error;
    const message = `the ${which} reading (of ${jobId}) has no screenshot; config.screenshot "viewport" or "full" stores one for every page from the next run on`;
    throw new AppError('not_found', message, { cause: error });
  }
}

/** Result for byte-identical screenshots. */
const NO_CHANGES: PictureDelta = { ...unknownDelta('unreadable'), changedShare: 0, shortfall: undefined };

const notDrawn = (shortfall: Shortfall | undefined): AppError =>
  shortfall === 'unreadable'
    ? new AppError('not_found', 'one of the screenshots cannot be decoded, so no drawing exists')
    : new AppError('unavailable', 'the comparison of the screenshots timed out', { retryAfterSeconds: 10 });

const sizeOf = (picture: Buffer): PictureSize => sizeOfJpeg(picture) ?? { width: 0, height: 0 };

const toWirePictures = ({ changedShare, areas, isTruncated, shortfall, drawn }: PictureDelta) => ({
  changedShare,
  areas: areas.map((area) => ({ ...area })),
  truncated: isTruncated,
  degraded: shortfall ?? '',
  drawn: Buffer.from(drawn ?? []),
});
