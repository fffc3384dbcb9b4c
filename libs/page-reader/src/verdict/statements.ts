import { TRY_AGAIN, WAY_BACK } from './advice.ts';
import type { PageEvidence } from './page-evidence.ts';
import { LED_BACK_WITHIN, NAMED_WITHIN, NAMING_HEADINGS, OWN_WORDS, STATED_WITHIN } from './thresholds.ts';

/** What a kind of refusal says. */
export interface Statement {
  /** Matches a sentence that states the refusal. */
  readonly sentence: RegExp;
  /** True for titles that name it, in addition to titles and headings that match `sentence`. */
  readonly names?: (name: string) => boolean;
  /** Matches sentences that accompany it, such as advice. They are no content. */
  readonly advice?: RegExp;
  /** True if a question may state it, such as "Are you a robot?". */
  readonly canBeQuestion?: boolean;
}

/** Returns the words of a page besides a statement, its advice, menus and repetitions of its title and headings. */
export function ownWords(evidence: PageEvidence, { sentence, advice }: Statement): number {
  if (evidence.sentences === undefined) return evidence.mainWords;
  const names = `${evidence.title}\n${evidence.headings.join('\n')}`.toLowerCase();
  let words = 0;
  for (const { text, words: count, kind } of evidence.sentences) {
    if (kind === 'menu' || sentence.test(text) || advice?.test(text) || names.includes(text.toLowerCase())) continue;
    words += count;
  }
  return words;
}

/** Returns true if a page has text besides a statement. */
export const hasOwnText = (evidence: PageEvidence, statement: Statement): boolean =>
  ownWords(evidence, statement) >= OWN_WORDS;

/** Returns true if a sentence of the text makes the statement. Title and headings are no text, links state nothing. */
export const isStated = ({ sentences = [] }: PageEvidence, { sentence, canBeQuestion }: Statement): boolean =>
  sentences.some(
    ({ text, kind }) => kind === 'text' && (canBeQuestion === true || !/[?？]$/.test(text)) && sentence.test(text),
  );

/** Returns true if a page leads back to where the visitor came from, or to another try. */
export const leadsBack = ({ sentences = [] }: PageEvidence): boolean =>
  sentences.some(({ text, kind }) => (kind === 'text' ? TRY_AGAIN : WAY_BACK).test(text));

/** Returns true if the title or one of the first headings makes the statement. */
export const isNamed = ({ title, headings }: PageEvidence, { sentence, names }: Statement): boolean =>
  names?.(title) === true || [title, ...headings.slice(0, NAMING_HEADINGS)].some((name) => sentence.test(name));

/**
 * Returns true if a page makes a statement: by a sentence beside few other words, or by its title or a heading if it has
 * no text of its own.
 */
export function makesStatement(evidence: PageEvidence, statement: Statement): boolean {
  const named = isNamed(evidence, statement);
  const stated = isStated(evidence, statement);
  if (!named && !stated) return false;
  const words = ownWords(evidence, statement);
  if (!stated) return words < (leadsBack(evidence) ? LED_BACK_WITHIN : OWN_WORDS);
  return named ? Math.min(words, evidence.mainWords) < NAMED_WITHIN : words < STATED_WITHIN;
}

/** Separators of the parts of a title, such as the page and the site. */
const APART = /\s[-–—]\s|[|–—:•·»/]/;

/** Returns true if a part of a title matches: its own name, or that of the site. */
export const hasPart = (title: string, part: RegExp): boolean =>
  title.split(APART).some((text) => part.test(text.trim()));

/** Returns true if a part of a title or heading is a status or an error number alone, not a number among other words. */
export const namesStatus = (name: string, status: RegExp): boolean =>
  name.split(APART).some((part) => {
    const found = STATUS_PART.exec(part);
    return found !== null && status.test(found[1] ?? '');
  });

const STATUS_PART =
  /^[\s#([]*(?:(?:http|https|error|status|code|fehler|fehlercode|erreur|errore|erro|fout|fel|virhe|hata|błąd|chyba|hiba|ошибка|помилка|エラー|错误|錯誤|오류)[\s#.:]*){0,3}(\d{3,4})[\s.,!)\]]*(?:(?:http|error|status|page|fehler|erreur|ошибка|エラー|错误|오류)[\s.!]*){0,2}$/i;
