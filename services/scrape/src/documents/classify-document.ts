import type { Classification } from '../domain/verdict/classification.ts';
import { SHORT_WORDS } from '../domain/verdict/classify.ts';
import { directiveWarnings, robotsDirectives } from '../domain/verdict/robots-directives.ts';

export interface DocumentJudgeInput {
  readonly words: number;
  readonly minWords: number;
  readonly shape: 'table' | 'listing' | undefined;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** Judges a document that was read: by its words alone, since a report on captchas is no captcha. */
export function classifyDocument({ words, minWords, shape, headers }: DocumentJudgeInput): Classification {
  const asked = directiveWarnings(robotsDirectives(headers, undefined));
  const short = { errorCode: 'OK' as const, warnings: ['short', ...asked] };
  const known = words === 0 ? { shape: 'empty' as const } : shape === undefined ? {} : { shape };
  const seen = { signals: ['document'], climb: false, ...known };
  if (words < minWords)
    return { verdict: 'skipped', ...short, ...seen, reason: `${words} words, under the floor of ${minWords}` };
  if (words === 0) return { verdict: 'thin', ...short, ...seen, reason: 'the document holds no text' };
  if (words < SHORT_WORDS) return { verdict: 'thin', ...short, ...seen, reason: `a short document of ${words} words` };
  return { verdict: 'ok', errorCode: 'OK', warnings: asked, ...seen, reason: `${words} words of content` };
}
