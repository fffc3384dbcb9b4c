import { StopReason as Wire } from './gen/tidemark/job/v1/job.ts';
import { type WordsOf, wordsOf } from './words-of.ts';

/** Why a run or a map stopped. */
export type StopReason = WordsOf<Wire>;
export const STOP_REASONS = wordsOf(Wire);
