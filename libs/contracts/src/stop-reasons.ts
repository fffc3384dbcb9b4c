import { StopReason as Wire } from './gen/tidemark/job/v1/job.ts';

/** Why a run or a map stopped, as the REST interface names it. */
export const STOP_REASONS = [
  'finished',
  'page_limit',
  'credit_limit',
  'time_limit',
  'cancelled',
  'site_down',
  'login_dead',
  'refused',
  'robots',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];

const WIRE: Readonly<Record<StopReason, Wire>> = {
  finished: Wire.STOP_REASON_FINISHED,
  page_limit: Wire.STOP_REASON_PAGE_LIMIT,
  credit_limit: Wire.STOP_REASON_CREDIT_LIMIT,
  time_limit: Wire.STOP_REASON_TIME_LIMIT,
  cancelled: Wire.STOP_REASON_CANCELLED,
  site_down: Wire.STOP_REASON_SITE_DOWN,
  login_dead: Wire.STOP_REASON_LOGIN_DEAD,
  refused: Wire.STOP_REASON_REFUSED,
  robots: Wire.STOP_REASON_ROBOTS,
};

/** Converts a stop reason to its value in messages. */
export const stopToWire = (stop: StopReason): Wire => WIRE[stop];

/** Converts a stop reason of a message; undefined for an absent or unknown one. */
export const stopFromWire = (stop: Wire | undefined): StopReason | undefined =>
  STOP_REASONS.find((name) => WIRE[name] === stop);
