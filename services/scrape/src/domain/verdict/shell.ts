import type { ClassifyInput, Finding } from './classification.ts';
import type { PageEvidence } from './page-evidence.ts';

const NEEDS_SCRIPT =
  /(?:enable|requires?|need|turn on|activate|without|aktivieren|activer|habilit\w+).{0,40}java ?script|java ?script.{0,60}(?:enable|required|disabled|activat|must be|needed|turned off|aktivier|désactivé|nécessaire)|unsupported browser|browser.{0,30}not supported/i;
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

/** Finds an empty response, or a page that is empty even in a browser. */
export function isEmpty({ evidence, rendered, httpStatus }: ClassifyInput): Finding | undefined {
  const { bodyWords, images, frames } = evidence;
  if (httpStatus >= 400 || bodyWords > 0 || images > 0) return undefined;
  if (rendered) return { errorCode: 'SHELL', reason: 'a browser shows nothing of the page', signals: ['empty'] };
  return frames > 0 ? undefined : { errorCode: 'NETWORK', reason: 'the response is empty', signals: ['empty'] };
}

function leadsElsewhere({ metaRefresh, bodyWords }: PageEvidence): boolean {
  const seconds = REFRESH.exec(metaRefresh)?.[1];
  return seconds !== undefined && Number(seconds) <= REFRESH_SECONDS && bodyWords < 10;
}

function isEmptyApp(evidence: PageEvidence): boolean {
  const { bodyWords, contentWords, scripts, emptyAppRoot, noscriptText, loadingText, scriptChars } = evidence;
  const needsScript = NEEDS_SCRIPT.test(noscriptText) || (bodyWords < 80 && NEEDS_SCRIPT.test(evidence.opening));
  if (emptyAppRoot && (bodyWords < 60 || contentWords < 5)) return true;
  if (needsScript && contentWords < 40) return true;
  if (scripts === 0) return bodyWords < 8 && (evidence.opening.includes('...') || evidence.opening.includes('…'));
  if (bodyWords < 4) return true;
  if (loadingText && bodyWords < 60) return true;
  if (bodyWords < 15 && (scripts > 2 || scriptChars > 2_000)) return true;
  return evidence.appRoot && contentWords < 15 && scriptChars > 20_000 && evidence.links < 5;
}
