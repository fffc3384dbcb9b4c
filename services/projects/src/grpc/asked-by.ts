import { callerOf, type HandlerContext } from '@tidemark/service';
import type { Asked } from '../run-starter.ts';

/** Who asks. @throws AppError unauthorized */
export const askedBy = (ctx: HandlerContext): Asked => ({ caller: callerOf(ctx), requestId: ctx.requestId });
