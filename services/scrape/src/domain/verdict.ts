import { signalsOf } from './signals.ts';
import type { PageEvidence } from './verdict-evidence.ts';
import { challengeIn, geoRefusalIn, isErrorPage, isLoginWall, isRefusal } from './verdict-refusals.ts';
import { isShell, notFoundIn } from './verdict-signs.ts';

export type { PageEvidence } from './verdict-evidence.ts';

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

export interface JudgeInput {
  httpStatus: number;
  headers: Record<string, string | string[]>;
  evidence: PageEvidence;
  askedUrl: string;
  landedUrl: string;
  /** Read by a browser, so an empty page is not waiting for scripts. */
  rendered: boolean;
  minWords: number;
}

export interface Judgement {
  verdict: Verdict;
  errorCode: VerdictCode;
  shape?: 'listing' | 'table' | 'form' | 'empty';
  warnings: string[];
  signals: string[];
  reason: string;
  /** The captcha or challenge met, such as `turnstile`. */
  widget?: string;
  /** A browser might read the page better. */
  climb: boolean;
}

/** A page under this many words is kept, with the warning `short`. */
export const SHORT_WORDS = 50;

/** What a rule found; the rest of the judgement follows from it. */
export interface Finding {
  errorCode: VerdictCode;
  reason: string;
  signals: string[];
  widget?: string;
  climb?: boolean;
}

/** Judges how a fetch went, from the answer and what the page shows. The first rule that fires decides. */
export function judge(input: JudgeInput): Judgement {
  const finding =
    challengeIn(input) ??
    rateLimit(input) ??
    geoRefusalIn(input) ??
    notFoundIn(input) ??
    isLoginWall(input) ??
    isRefusal(input) ??
    isErrorPage(input) ??
    isShell(input);
  const shape = input.evidence.shape ? { shape: input.evidence.shape } : {};
  if (finding) {
    const { errorCode, reason, signals, widget, climb } = finding;
    return {
      verdict: 'blocked',
      errorCode,
      ...shape,
      warnings: [],
      signals: [...statusSignal(input), ...signals],
      reason,
      ...(widget ? { widget } : {}),
      climb: climb ?? false,
    };
  }
  return { ...pass(input), ...shape };
}

function pass(input: JudgeInput): Judgement {
  const { evidence, minWords } = input;
  const words = evidence.mainWords;
  const signals = signalsOf(input);
  if (words < minWords) {
    return {
      verdict: 'skipped',
      errorCode: 'OK',
      warnings: ['short'],
      signals,
      reason: `${words} words, under the floor of ${minWords}`,
      climb: false,
    };
  }
  if (words < SHORT_WORDS) {
    return {
      verdict: 'thin',
      errorCode: 'OK',
      warnings: ['short'],
      signals,
      reason: `a short page of ${words} words`,
      climb: false,
    };
  }
  return { verdict: 'ok', errorCode: 'OK', warnings: [], signals, reason: `${words} words of content`, climb: false };
}

function rateLimit({ httpStatus }: JudgeInput): Finding | undefined {
  return httpStatus === 429 ? { errorCode: 'RATE_LIMITED', reason: 'the site answered 429', signals: [] } : undefined;
}

const statusSignal = ({ httpStatus }: JudgeInput): string[] => (httpStatus >= 400 ? [`http ${httpStatus}`] : []);
