// The script of the pages of accounts. It sends forms as JSON to the routes of sessions and shows responses as text. The token of a link is spent by a
// press of the button, not by opening the page.
import { startAccount } from './account.ts';
import { startConsent } from './consent.ts';
import { startForm } from './form.ts';
import { startOptions } from './options.ts';
import { applyTheme } from './page.ts';
import { startPasskeys } from './passkeys.ts';

applyTheme();
startForm();
startPasskeys();
startOptions();
startAccount();
startConsent();
