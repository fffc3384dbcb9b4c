import { challengeIn } from './challenge.ts';
import type { Classification, ClassifyInput } from './classification.ts';
import { consentWallIn } from './consent-wall.ts';
import { isErrorPage, isVacant } from './failures.ts';
import { geoRefusalIn } from './geo-refusal.ts';
import { isLoginWall } from './login-wall.ts';
import { notFoundIn } from './not-found.ts';
import { rateLimitIn } from './rate-limit.ts';
import { isRefusal } from './refused.ts';
import { directiveWarnings, robotsDirectives } from './robots-directives.ts';
import { isEmpty, isShell } from './shell.ts';
import { signalsOf } from './signals.ts';
import { SHORT_WORDS } from './thresholds.ts';

/** Warning of a page whose main content may be wrong; the signals state why. */
export const LOW_CONFIDENCE = 'low_confidence';

/** Classifies a fetch by the response and the page's evidence. The first rule that matches decides. */
export function classify(input: ClassifyInput): Classification {
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
    consentWallIn(input) ??
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

/** Classifies a real page: kept, short, or below the word floor. A captcha in one of its forms is reported only. */
function pass(input: ClassifyInput): Classification {
  const { evidence, headers, minWords } = input;
  const words = evidence.mainWords;
  const doubted = evidence.doubts.length > 0 ? [LOW_CONFIDENCE] : [];
  const directives = [...doubted, ...directiveWarnings(robotsDirectives(headers, evidence.robots))];
  const widget = evidence.widgets[0];
  const short = { errorCode: 'OK' as const, warnings: ['short', ...directives] };
  const seen = {
    signals: [...signalsOf(input), ...evidence.doubts],
    ...(widget === undefined ? {} : { widget }),
    climb: false,
  };
  if (words < minWords)
    return { verdict: 'skipped', ...short, ...seen, reason: `${words} words, under the floor of ${minWords}` };
  if (words < SHORT_WORDS) return { verdict: 'thin', ...short, ...seen, reason: `a short page of ${words} words` };
  return { verdict: 'ok', errorCode: 'OK', warnings: directives, ...seen, reason: `${words} words of content` };
}

const statusSignal = ({ httpStatus }: ClassifyInput): string[] => (httpStatus >= 400 ? [`http ${httpStatus}`] : []);
