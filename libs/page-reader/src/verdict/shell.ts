import type { ClassifyInput, Finding } from './classification.ts';
import type { PageEvidence } from './page-evidence.ts';
import { hasOwnText, isStated, type Statement } from './statements.ts';

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
const REFRESH_SECONDS = 10;

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
  if (evidence.frameset && evidence.bodyWords < 40) return shell('the page holds its content in frames', 'frameset');
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
  return seconds !== undefined && Number(seconds) <= REFRESH_SECONDS && bodyWords < 10;
}

function isEmptyApp(evidence: PageEvidence): boolean {
  const { bodyWords, contentWords, scripts, emptyAppRoot, loadingText, scriptChars } = evidence;
  if (emptyAppRoot && (bodyWords < 60 || contentWords < 5)) return true;
  if (needsScript(evidence)) return true;
  if (scripts === 0) return bodyWords < 8 && endsInEllipsis(evidence);
  if (bodyWords < 4 || (bodyWords < 12 && endsInEllipsis(evidence))) return true;
  if (loadingText && bodyWords < 60 && !hasOwnText(evidence, LOADING)) return true;
  if (bodyWords < 15 && (scripts > 2 || scriptChars > 2_000)) return true;
  if (evidence.emptyMain && evidence.paragraphs === 0 && !evidence.hasArticle) return true;
  if (evidence.emptyMount && isBare(evidence)) return true;
  return evidence.appRoot && contentWords < 15 && scriptChars > 20_000 && evidence.links < 5;
}

/** True if the page states, to visitors without scripts or to all, that it needs them. */
function needsScript(evidence: PageEvidence): boolean {
  const { bodyWords, contentWords, noscriptText, opening } = evidence;
  const hasText = hasOwnText(evidence, LOADING);
  const shown =
    bodyWords < 80 && (isStated(evidence, { sentence: NEEDS_SCRIPT }) || (!hasText && NEEDS_SCRIPT.test(opening)));
  // A page with text of its own works without scripts, whatever its noscript says.
  const isNoted = NEEDS_SCRIPT.test(noscriptText) && !hasText;
  // A sentence in noscript beside a page without one means this in any language.
  return ((shown || isNoted) && contentWords < 40) || (noscriptText.length >= NOTICE_CHARS && isBare(evidence));
}

/** Length of the shortest sentence, in the scripts that need the fewest characters. */
const NOTICE_CHARS = 12;

/** True for a page with a few words and nothing else to show. */
const isBare = ({ bodyWords, paragraphs, images, links, forms }: PageEvidence): boolean =>
  bodyWords < 30 && paragraphs === 0 && images < 3 && links < 5 && forms === 0;

const endsInEllipsis = ({ opening }: PageEvidence): boolean => /(?:\.\.\.|…)/.test(opening);
