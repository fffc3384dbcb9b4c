import type { Classification } from '../verdict/classification.ts';
import { directiveWarnings, robotsDirectives } from '../verdict/robots-directives.ts';
import { SHORT_WORDS } from '../verdict/thresholds.ts';
import type { DocumentKind } from './model/media-type.ts';

export interface ClassifyDocumentInput {
  readonly kind: DocumentKind;
  readonly words: number;
  readonly minWords: number;
  readonly shape: 'table' | 'listing' | undefined;
  readonly headers: Readonly<Record<string, string | string[]>>;
}

/** Feeds, sitemaps and data: files for programs, not for readers. */
const MACHINE_READ: ReadonlySet<DocumentKind> = new Set(['xml', 'json', 'ndjson']);

/** Classifies a document by its number of words only: a document about captchas is not a captcha. */
export function classifyDocument({ kind, words, minWords, shape, headers }: ClassifyDocumentInput): Classification {
  const directives = directiveWarnings(robotsDirectives(headers, undefined));
  const short = { errorCode: 'OK' as const, warnings: ['short', ...directives] };
  const shapeFields = words === 0 ? { shape: 'empty' as const } : shape === undefined ? {} : { shape };
  const common = {
    signals: MACHINE_READ.has(kind) ? ['document', 'machine-read'] : ['document'],
    climb: false,
    ...shapeFields,
  };
  if (words < minWords)
    return { verdict: 'skipped', ...short, ...common, reason: `${words} words, under the floor of ${minWords}` };
  if (words === 0) return { verdict: 'thin', ...short, ...common, reason: 'the document holds no text' };
  if (words < SHORT_WORDS)
    return { verdict: 'thin', ...short, ...common, reason: `a short document of ${words} words` };
  return { verdict: 'ok', errorCode: 'OK', warnings: directives, ...common, reason: `${words} words of content` };
}
