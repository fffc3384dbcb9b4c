import { DiffServiceService as Rpc } from '@tidemark/contracts/diff/v1/diff';
import { AppError } from '@tidemark/errors';
import { type BoundMethod, callerOf, type HandlerContext, handle } from '@tidemark/service';
import type { CompareScreenshots } from '../pictures/compare-screenshots.ts';
import type { CompareStoredMarkup } from '../readings/compare-stored-markup.ts';
import type { CompareStoredText } from '../readings/compare-stored-text.ts';
import type { CountWordChanges } from '../readings/count-word-changes.ts';
import { comparedReadings, toWireMarkup, toWirePictures, toWireText } from './comparisons-to-wire.ts';
import { requireProjectAccess } from './requests.ts';

export interface ComparisonMethodDeps {
  readonly compareText: CompareStoredText;
  readonly compareMarkup: CompareStoredMarkup;
  readonly compareScreenshots: CompareScreenshots;
  readonly countWordChanges: CountWordChanges;
}

const MAX_PAIRS = 100;

const callContextOf = (ctx: HandlerContext) => ({ caller: callerOf(ctx), requestId: ctx.requestId });

/** The methods that compare two stored readings of one page within the request. */
export function comparisonMethods({
  compareText,
  compareMarkup,
  compareScreenshots,
  countWordChanges,
}: ComparisonMethodDeps): BoundMethod[] {
  return [
    handle(Rpc.comparePage, async (request, ctx) => {
      const readings = comparedReadings(request.readings);
      requireProjectAccess(ctx, readings.projectId);
      const options = { withUnchanged: request.withUnchanged === true };
      return toWireText(await compareText(callContextOf(ctx), readings, options));
    }),
    handle(Rpc.compareMarkup, async (request, ctx) => {
      const readings = comparedReadings(request.readings);
      requireProjectAccess(ctx, readings.projectId);
      return toWireMarkup(await compareMarkup(callContextOf(ctx), readings));
    }),
    handle(Rpc.countWordChanges, async ({ projectId, pairs }, ctx) => {
      requireProjectAccess(ctx, projectId);
      if (pairs.length > MAX_PAIRS) throw new AppError('validation', `${MAX_PAIRS} pairs at most`);
      const changes = await countWordChanges(callContextOf(ctx), projectId, pairs);
      return { changes: changes.map((each) => each ?? {}) };
    }),
    handle(Rpc.comparePictures, async (request, ctx) => {
      const readings = comparedReadings(request.readings);
      requireProjectAccess(ctx, readings.projectId);
      return toWirePictures(await compareScreenshots(callContextOf(ctx), readings, request.draw));
    }),
  ];
}
