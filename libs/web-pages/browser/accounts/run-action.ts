import { isRefused, Refused } from './call.ts';
import { show } from './page.ts';

/** Something that this browser can not do. */
export class Unusable extends Error {}

/** What a person can do about the failure of an authenticator, by the name of the exception (WebAuthn Level 3, section 5.1). */
const TEXTS: Readonly<Record<string, string>> = {
  NotAllowedError: 'No passkey was used: the request was cancelled or has expired. Try again.',
  InvalidStateError: 'This device has a passkey for your account already.',
  SecurityError: 'Passkeys work on the main address of this installation only, over https or on localhost.',
  NotSupportedError: 'This device does not support passkeys.',
};

/** Writes a message of the interface as a sentence. */
const sentence = (text: string): string =>
  text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? '' : '.');

function textOf(error: unknown): string {
  if (error instanceof Refused) return sentence(error.message);
  if (error instanceof DOMException) return TEXTS[error.name] ?? error.message;
  if (error instanceof Unusable) return error.message;
  return 'The server did not answer. Check the connection and try again.';
}

/** Shows why something failed. */
export const showProblem = (error: unknown): void => show(textOf(error), true);

/** Runs the action of a button, which is disabled meanwhile. Shows why it failed; opens the page for a fresh code where one is required. */
export async function run(button: HTMLButtonElement, action: () => Promise<void>): Promise<void> {
  button.disabled = true;
  show('');
  try {
    await action();
  } catch (error) {
    if (isRefused(error, 'mfa_stale'))
      location.assign(`/auth/code?next=${encodeURIComponent(location.pathname + location.search)}`);
    else showProblem(error);
  } finally {
    button.disabled = false;
  }
}
