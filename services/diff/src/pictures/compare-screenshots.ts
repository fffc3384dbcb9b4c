import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import { AppError, codeOf } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import type { CaptureRef, ComparedReadings } from '../domain/compared-readings.ts';
import { type PictureDelta, type Shortfall, unknownDelta } from './compare-pictures.ts';
import type { PictureComparer } from './picture-comparer.ts';
import { sizeOfJpeg } from './read-jpeg.ts';

const READ_TIMEOUT_MS = 20_000;

export interface CompareScreenshotsDeps {
  readonly archive: Peer;
  readonly pictureComparer: PictureComparer;
}

/** A size in pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The visible differences of two readings. */
export interface ScreenshotComparison {
  readonly before: Size;
  readonly after: Size;
  readonly delta: PictureDelta;
}

/**
 * Compares the screenshots of two stored readings of a page. Fetches nothing from the web and writes nothing.
 * @throws AppError not_found if a reading has no screenshot, or a drawing is requested and a screenshot cannot be decoded; unavailable if a
 * requested drawing is not finished in time
 */
export type CompareScreenshots = (
  call: CallContext,
  readings: ComparedReadings,
  isDrawn: boolean,
) => Promise<ScreenshotComparison>;

export const makeCompareScreenshots =
  ({ archive, pictureComparer }: CompareScreenshotsDeps): CompareScreenshots =>
  async (call, readings, isDrawn) => {
    const [before, after] = await Promise.all([
      loadScreenshot(archive, 'earlier', readings.before, call),
      loadScreenshot(archive, 'later', readings.after, call),
    ]);
    const delta =
      !isDrawn && before.equals(after) ? NO_CHANGES : await pictureComparer.compare({ before, after, isDrawn });
    if (isDrawn && delta.drawn === undefined) throw notDrawn(delta.shortfall);
    return { before: sizeOf(before), after: sizeOf(after), delta };
  };

async function loadScreenshot(
  archive: Peer,
  which: 'earlier' | 'later',
  reading: CaptureRef | undefined,
  call: CallContext,
): Promise<Buffer> {
  if (reading === undefined) throw new AppError('not_found', `there is no ${which} reading, so no screenshot of it`);
  const { runId: jobId, pageId } = reading;
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

const sizeOf = (picture: Buffer): Size => sizeOfJpeg(picture) ?? { width: 0, height: 0 };
