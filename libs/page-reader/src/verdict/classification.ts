import type { PageEvidence } from './page-evidence.ts';

export type Verdict = 'ok' | 'thin' | 'blocked' | 'skipped';

export type VerdictCode =
  | 'OK'
  | 'SHELL'
  | 'BLOCKED'
  | 'NOT_FOUND'
  | 'RATE_LIMITED'
  | 'CAPTCHA'
  | 'LOGIN_REQUIRED'
  | 'GEO_RESTRICTED'
  | 'NETWORK';

export interface ClassifyInput {
  httpStatus: number;
  headers: Record<string, string | string[]>;
  evidence: PageEvidence;
  requestedUrl: string;
  landedUrl: string;
  /** True if a browser rendered the page. An empty page then is not waiting for scripts. */
  rendered: boolean;
  minWords: number;
}

export interface Classification {
  verdict: Verdict;
  errorCode: VerdictCode;
  shape?: 'listing' | 'table' | 'form' | 'empty';
  warnings: string[];
  signals: string[];
  reason: string;
  /** The captcha or challenge found, such as `recaptcha`. */
  widget?: string;
  /** True if a browser may read the page better. */
  climb: boolean;
}

/** What a rule found. The rest of the classification follows from it. */
export interface Finding {
  errorCode: VerdictCode;
  reason: string;
  signals: string[];
  widget?: string;
  climb?: boolean;
}
