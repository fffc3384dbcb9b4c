import { ArchiveServiceService as Archive } from '@tidemark/contracts/archive/v1/archive';
import type { ComparePicturesResponse, PictureSize, ReadingPair } from '@tidemark/contracts/diff/v1/diff';
import { AppError, codeOf } from '@tidemark/errors';
import type { CallContext, Peer } from '@tidemark/service';
import { type PictureDelta, type Shortfall, untold } from './compare-pictures.ts';
import type { PictureComparer } from './picture-comparer.ts';
import { sizeOfJpeg } from './read-jpeg.ts';

const READ_MS = 20_000;

/** Compares the screenshots of two stored readings of a page while somebody waits. Nothing is fetched, and nothing written. */
export class PictureDesk {
  readonly #archive: Peer;
  readonly #comparer: PictureComparer;

  constructor(archive: Peer, comparer: PictureComparer) {
    this.#archive = archive;
    this.#comparer = comparer;
  }

  /** @throws AppError not_found where a reading kept no picture, or none that can be read; unavailable where there was no time to draw one that was asked for */
  async compare(
    asked: CallContext,
    readings: ReadingPair | undefined,
    isDrawn: boolean,
  ): Promise<ComparePicturesResponse> {
    if (readings === undefined) throw new AppError('validation', 'a comparison is of two readings');
    const { beforeRunId, beforePageId, afterRunId, afterPageId } = readings;
    const [before, after] = await Promise.all([
      this.#picture(asked, { which: 'earlier', jobId: beforeRunId, pageId: beforePageId }),
      this.#picture(asked, { which: 'later', jobId: afterRunId, pageId: afterPageId }),
    ]);
    const delta = await this.#compared(before, after, isDrawn);
    if (isDrawn && delta.drawn === undefined) throw undrawn(delta.shortfall);
    return { before: sizeOf(before), after: sizeOf(after), ...toWirePictures(delta) };
  }

  #compared(before: Buffer, after: Buffer, isDrawn: boolean): Promise<PictureDelta> | PictureDelta {
    if (isDrawn || !before.equals(after)) return this.#comparer.compare({ before, after, isDrawn });
    // The same bytes are the same picture.
    return { ...untold('unreadable'), changedShare: 0, shortfall: undefined };
  }

  async #picture(
    asked: CallContext,
    { which, jobId, pageId }: { which: 'earlier' | 'later'; jobId: string; pageId: string },
  ): Promise<Buffer> {
    const wanted = { jobId, pageId, kind: 'screenshot', waitMs: 0 };
    try {
      return (await this.#archive.call(Archive.readAttachment, wanted, asked, { deadlineMs: READ_MS })).body;
    } catch (error) {
      if (codeOf(error) !== 'not_found') throw error;
      const says = `the ${which} reading (of ${jobId}) kept no screenshot; config.screenshot "viewport" or "full" keeps one of every page from the next run on`;
      throw new AppError('not_found', says, { cause: error });
    }
  }
}

const undrawn = (shortfall: Shortfall | undefined): AppError =>
  shortfall === 'unreadable'
    ? new AppError('not_found', 'a screenshot of the two could not be decoded: there is nothing to draw')
    : new AppError('unavailable', 'the pictures took too long to compare', { retryAfterSeconds: 10 });

const sizeOf = (picture: Buffer): PictureSize => sizeOfJpeg(picture) ?? { width: 0, height: 0 };

const toWirePictures = ({ changedShare, areas, isTruncated, shortfall, drawn }: PictureDelta) => ({
  changedShare,
  areas: areas.map((area) => ({ ...area })),
  truncated: isTruncated,
  degraded: shortfall ?? '',
  drawn: Buffer.from(drawn ?? []),
});
