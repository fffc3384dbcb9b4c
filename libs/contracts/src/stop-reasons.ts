import { StopReason } from './gen/tidemark/job/v1/job.ts';

export { StopReason };
/** Why a run or a map stopped, in the order of the specification. */
export const STOP_REASONS = Object.values(StopReason);
