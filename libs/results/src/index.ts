export {
  ChangeDigestText,
  COUNTED,
  COVERAGE_REASON_MEANINGS,
  coverageReasonText,
  RecordCounts,
  RecordCoverage,
} from './change-record.ts';
export { type ListScope, openCursor, sealCursor } from './cursor.ts';
export { JOB_STATUSES, JobState, STOP_REASON_MEANINGS, Stop, type StopReason } from './job-state.ts';
export { MAP_METHODS, MapRobots, MapTotals } from './map-results.ts';
export { ERROR_CODES, VERDICT_MEANINGS, VERDICTS } from './page-verdicts.ts';
export { DUE_STATUSES, RUN_TRIGGERS } from './run-starts.ts';
export { SYNC_ERRORS, SYNC_STATUSES } from './sync-words.ts';
export { Time } from './time.ts';
