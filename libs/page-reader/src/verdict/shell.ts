import type { ClassifyInput, Finding } from './classification.ts';
import type { PageEvidence } from './page-evidence.ts';
import { hasOwnText, isStated, type Statement } from './statements.ts';
import {
  APP_LINKS,
  APP_SCRIPT_CHARS,
  APP_WORDS,
  BARE_SHELL_IMAGES,
  BARE_SHELL_LINKS,
  BARE_SHELL_WORDS,
  BLANK_WORDS,
  ELLIPSIS_WORDS,
  EMPTY_ROOT_CONTENT,
  EMPTY_ROOT_WORDS,
  FRAMESET_WORDS,
  LOADING_WORDS,
  NEEDS_SCRIPT_WORDS,
  NOTED_WORDS,
  NOTICE_CHARS,
  REFRESH_SECONDS,
  REFRESH_WORDS,
  SCRIPTED_CHARS,
  SCRIPTED_WORDS,
  WAITING_WORDS,
} from './thresholds.ts';

const NEEDS_SCRIPT =
  /(?:enable|requires?|need|turn on|activate|without|aktivieren|activer|habilit\w+).{0,40}java ?script|java ?script.{0,60}(?:enable|required|disabled|activat|must be|needed|turned off|aktivier|désactivé|nécessaire)|unsupported browser|browser.{0,30}not supported/i;
/** What a page says while scripts load its content. */
const LOADING: Statement = {
  sentence: new RegExp(
    `${NEEDS_SCRIPT.source}|^(?:loading|please wait|initiali[sz]ing|redirecting|just a (?:moment|second))|(?:\\.\\.\\.|…)$`,
    'i',
  ),
};
/** A meta refresh within this time is the page's only purpose. */
const REFRESH = /^\s*(\d{1,4})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?\s*\S/i;

/**
 * Finds a page whose content would come from scripts, frames or a meta refresh. A server-rendered application has words
 * and is not one.
 */
export function isShell({ evidence, rendered, httpStatus }: ClassifyInput): Finding | undefined {
  if (rendered || httpStatus >= 400) return undefined;
  const shell = (reason: string, signal: string): Finding => ({
    errorCode: 'SHELL',
    reason,
    signals: [signal],
    climb: true,
  });
  if (leadsElsewhere(evidence)) return shell('the page only leads on to another, by a meta refresh', 'meta refresh');
  if (evidence.frameset && evidence.bodyWords < FRAMESET_WORDS)
    return shell('the page holds its content in frames', 'frameset');
  return isEmptyApp(evidence)
    ? shell('the page is an empty application that scripts would fill', 'app shell')
    : undefined;
}

/**
 * Finds an empty response, or a page that is empty even in a browser. The site answered, so it is no failure of the network:
 * it is a page whose content is missing, as that of an empty application.
 */
export function isEmpty({ evidence, rendered, httpStatus }: ClassifyInput): Finding | undefined {
  const { bodyWords, images, frames } = evidence;
  if (httpStatus >= 400 || bodyWords > 0 || images > 0) return undefined;
  if (rendered) return { errorCode: 'SHELL', reason: 'a browser shows nothing of the page', signals: ['empty'] };
  return frames > 0 ? undefined : { errorCode: 'SHELL', reason: 'the response is empty', signals: ['empty'] };
}

function leadsElsewhere({ metaRefresh, bodyWords }: PageEvidence): boolean {
  const seconds = REFRESH.exec(metaRefresh)?.[1];
  return seconds !== undefined && Number(seconds) <= REFRESH_SECONDS && bodyWords < REFRESH_WORDS;
}

function isEmptyApp(evidence: PageEvidence): boolean {
  const { bodyWords, contentWords, scripts, emptyAppRoot } = evidence;
  if (emptyAppRoot && (bodyWords < EMPTY_ROOT_WORDS || contentWords < EMPTY_ROOT_CONTENT)) return true;
  if (needsScript(evidence)) return true;
  if (scripts === 0) return bodyWords < WAITING_WORDS && endsInEllipsis(evidence);
  return awaitsScripts(evidence);
}

/** True for a page with scripts whose words are few, or only say that it loads. */
function awaitsScripts(evidence: PageEvidence): boolean {
  const { bodyWords, contentWords, scripts, loadingText, scriptChars } = evidence;
  if (bodyWords < BLANK_WORDS || (bodyWords < ELLIPSIS_WORDS && endsInEllipsis(evidence))) return true;
  if (loadingText && bodyWords < LOADING_WORDS && !hasOwnText(evidence, LOADING)) return true;
  if (bodyWords < SCRIPTED_WORDS && (scripts > 2 || scriptChars > SCRIPTED_CHARS)) return true;
  if (evidence.emptyMain && evidence.paragraphs === 0 && !evidence.hasArticle) return true;
  if (evidence.emptyMount && isBare(evidence)) return true;
  return evidence.appRoot && contentWords < APP_WORDS && scriptChars > APP_SCRIPT_CHARS && evidence.links < APP_LINKS;
}

/** True if the page states, to visitors without scripts or to all, that it needs them. */
function needsScript(evidence: PageEvidence): boolean {
  const { bodyWords, contentWords, noscriptText, opening } = evidence;
  const hasText = hasOwnText(evidence, LOADING);
  const shown =
    bodyWords < NEEDS_SCRIPT_WORDS &&
    (isStated(evidence, { sentence: NEEDS_SCRIPT }) || (!hasText && NEEDS_SCRIPT.test(opening)));
  // A page with text of its own works without scripts, whatever its noscript says.
  const isNoted = NEEDS_SCRIPT.test(noscriptText) && !hasText;
  // A sentence in noscript beside a page without one means this in any language.
  return (
    ((shown || isNoted) && contentWords < NOTED_WORDS) || (noscriptText.length >= NOTICE_CHARS && isBare(evidence))
  );
}

/** True for a page with a few words and nothing else to show. */
const isBare = ({ bodyWords, paragraphs, images, links, forms }: PageEvidence): boolean =>
  bodyWords < BARE_SHELL_WORDS &&
  paragraphs === 0 &&
  images < BARE_SHELL_IMAGES &&
  links < BARE_SHELL_LINKS &&
  forms === 0;

const endsInEllipsis = ({ opening }: PageEvidence): boolean => /(?:\.\.\.|…)/.test(opening);
