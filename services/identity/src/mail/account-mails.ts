import { events, newId } from '@tidemark/contracts';
import type { AccountMailKind } from '@tidemark/contracts/identity/v1/events';
import type { Sealer } from '@tidemark/sealing';
import { outgoingEvent, writeEvents } from '@tidemark/service';
import type { Queryable } from '../store/queryable.ts';
import type { SendEvents } from '../store/send-events.ts';

/** A mail about an account. `token` is the token of its link. */
export interface AccountMail {
  readonly kind: AccountMailKind;
  readonly to: string;
  readonly token?: string;
  readonly name?: string;
  /** For an invitation. */
  readonly workspaceName?: string;
  readonly invitedBy?: string;
  readonly role?: string;
  /** For a sign-in. */
  readonly ip?: string;
  readonly userAgent?: string;
  /** For a change of address: the other address. */
  readonly otherEmail?: string;
  /** For a passkey: the name that the person gave it. */
  readonly passkeyName?: string;
  /** For an alert of credits: what is used, such as `80 % of the allowance`, what is left, and when the next period begins. */
  readonly used?: string;
  readonly left?: string;
  readonly resetsAt?: string;
  /** For an unpaid renewal: the plan, its price, and when the plan ends. */
  readonly plan?: string;
  readonly amount?: string;
  readonly endsAt?: string;
  /** For a sign-in provider. */
  readonly providerName?: string;
}

export interface AccountMailsDeps {
  readonly sealer: Sealer;
  readonly send: SendEvents;
  /** A mail host is configured. */
  readonly isOn: boolean;
  readonly now: () => Date;
}

/**
 * Requests mails about accounts by events, which delivery sends. An event is written in the transaction of its change. Its content is sealed,
 * so that no row and no message contains a token or an address in the clear.
 */
export class AccountMails {
  readonly #deps: AccountMailsDeps;

  constructor(deps: AccountMailsDeps) {
    this.#deps = deps;
  }

  /** Without a mail host no mail is sent: addresses stay unproven, and links are passed on by people. */
  get isOn(): boolean {
    return this.#deps.isOn;
  }

  /** Writes the event of a mail; without a mail host nothing. Mails with one `id` are sent once. @returns a function to be called after the commit */
  async write(db: Queryable, mail: AccountMail, id = newId('mail')): Promise<() => void> {
    const { sealer, send, isOn, now } = this.#deps;
    if (!isOn) return () => undefined;
    const { kind, ...content } = mail;
    const sealed = sealer.seal(JSON.stringify(content), id);
    const event = outgoingEvent(events.accountMailRequested, id, { id, kind, sealed, at: now() });
    await writeEvents(db, [event]);
    return () => send([event]);
  }
}
