import { signalsOf } from './signals.ts';
import { challengeIn } from './verdict-challenge.ts';
import { directiveWarnings, robotsDirectives } from './verdict-directives.ts';
import type { PageEvidence } from './verdict-evidence.ts';
import { isLoginWall } from './verdict-login.ts';
import { notFoundIn } from './verdict-not-found.ts';
import { geoRefusalIn, isErrorPage, isRefusal, isVacant, rateLimitIn } from './verdict-refusals.ts';
import { isEmpty, isShell } from './verdict-signs.ts';

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
    rateLimitIn(input) ??
    geoRefusalIn(input) ??
    notFoundIn(input) ??
    isLoginWall(input) ??
    isVacant(input) ??
    isRefusal(input) ??
    isErrorPage(input) ??
    isShell(input) ??
    isEmpty(input);
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

/** A real page: kept, short or not, or under the floor. A captcha in one of its forms is told and refuses nothing. */
function pass(input: JudgeInput): Judgement {
  const { evidence, headers, minWords } = input;
  const words = evidence.mainWords;
  const asked = directiveWarnings(robotsDirectives(headers, evidence.robots));
  const widget = evidence.widgets[0];
  const short = { errorCode: 'OK' as const, warnings: ['short', ...asked] };
  const seen = { signals: signalsOf(input), ...(widget === undefined ? {} : { widget }), climb: false };
  if (words < minWords)
    return { verdict: 'skipped', ...short, ...seen, reason: `${words} words, under the floor of ${minWords}` };
  if (words < SHORT_WORDS) return { verdict: 'thin', ...short, ...seen, reason: `a short page of ${words} words` };
  return { verdict: 'ok', errorCode: 'OK', warnings: asked, ...seen, reason: `${words} words of content` };
}

const statusSignal = ({ httpStatus }: JudgeInput): string[] => (httpStatus >= 400 ? [`http ${httpStatus}`] : []);
