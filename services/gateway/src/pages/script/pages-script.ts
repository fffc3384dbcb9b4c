import { ACCOUNT_SCRIPT } from './account-script.ts';
import { CONSENT_SCRIPT } from './consent-script.ts';
import { CORE_SCRIPT } from './core-script.ts';
import { FORM_SCRIPT } from './form-script.ts';
import { OPTIONS_SCRIPT } from './options-script.ts';
import { PASSKEY_SCRIPT } from './passkey-script.ts';

/**
 * Script of the pages of accounts. It sends forms as JSON to the routes of sessions and shows answers as text. The token of a link is spent by a
 * press of the button, not by opening the page.
 */
export const PAGES_SCRIPT = [
  ...[CORE_SCRIPT, FORM_SCRIPT, PASSKEY_SCRIPT],
  ...[OPTIONS_SCRIPT, ACCOUNT_SCRIPT, CONSENT_SCRIPT],
].join('\n');
