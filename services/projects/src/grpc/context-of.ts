import { callerOf, type HandlerContext } from '@tidemark/service';
import type { RequestContext } from '../requests/request-context.ts';

/** @throws AppError unauthorized */
export const contextOf = (ctx: HandlerContext): RequestContext => ({ caller: callerOf(ctx), requestId: ctx.requestId });
