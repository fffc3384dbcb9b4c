import type { Finding, JudgeInput } from './verdict.ts';
import type { PageEvidence } from './verdict-evidence.ts';

const NEEDS_SCRIPT =
  /(?:enable|requires?|need|turn on|activate|without|aktivieren|activer|habilit\w+).{0,40}java ?script|java ?script.{0,60}(?:enable|required|disabled|activat|must be|needed|turned off|aktivier|désactivé|nécessaire)|unsupported browser|browser.{0,30}not supported/i;
/** A redirect by meta this quick is the page's whole purpose. */
const REFRESH = /^\s*(\d{1,4})(?:\.\d*)?\s*[;,]\s*(?:url\s*=\s*)?["']?\s*\S/i;
const REFRESH_SECONDS = 10;

/** A page whose content only scripts, frames or a redirect of its own would bring. A server-rendered application has its words and is none. */
export function isShell({ evidence, rendered, httpStatus }: JudgeInput): Finding | undefined {
  if (rendered || httpStatus >= 400) return undefined;
  const shell = (reason: string, signal: string): Finding => ({
    errorCode: 'SHELL',
    reason,
    signals: [signal],
    climb: true,
  });
  if (leadsElsewhere(evidence)) return shell('the page only leads on to another, by a meta refresh', 'meta refresh');
  if (evidence.frameset && evidence.bodyWords < 40) return shell('the page holds its content in frames', 'frameset');
  return looksEmpty(evidence)
    ? shell('the page is an empty application that scripts would fill', 'app shell')
    : undefined;
}

/** An answer with nothing in it, or a page of which even a browser shows nothing. */
export function isEmpty({ evidence, rendered, httpStatus }: JudgeInput): Finding | undefined {
  const { bodyWords, images, frames } = evidence;
  if (httpStatus >= 400 || bodyWords > 0 || images > 0) return undefined;
  if (rendered) return { errorCode: 'SHELL', reason: 'a browser shows nothing of the page', signals: ['empty'] };
  return frames > 0 ? undefined : { errorCode: 'NETWORK', reason: 'the answer is empty', signals: ['empty'] };
}

function leadsElsewhere({ metaRefresh, bodyWords }: PageEvidence): boolean {
  const seconds = REFRESH.exec(metaRefresh)?.[1];
  return seconds !== undefined && Number(seconds) <= REFRESH_SECONDS && bodyWords < 10;
}

function looksEmpty(evidence: PageEvidence): boolean {
  const { bodyWords, contentWords, scripts, emptyAppRoot, noscriptText, loadingText, scriptChars } = evidence;
  const wantsScript = NEEDS_SCRIPT.test(noscriptText) || (bodyWords < 80 && NEEDS_SCRIPT.test(evidence.opening));
  if (emptyAppRoot && (bodyWords < 60 || contentWords < 5)) return true;
  if (wantsScript && contentWords < 40) return true;
  if (scripts === 0) return bodyWords < 8 && (evidence.opening.includes('...') || evidence.opening.includes('…'));
  if (bodyWords < 4) return true;
  if (loadingText && bodyWords < 60) return true;
  if (bodyWords < 15 && (scripts > 2 || scriptChars > 2_000)) return true;
  return evidence.appRoot && contentWords < 15 && scriptChars > 20_000 && evidence.links < 5;
}
