import type { AccountMailRequested } from '@tidemark/contracts/identity/v1/events';
import type { Sealer } from '@tidemark/sealing';
import type { NewMessage } from '../domain/new-message.ts';
import { AccountMailContent, renderAccountMail } from './account-mail.ts';

/** Mails of accounts belong to no workspace: none lists them among its deliveries. */
const NO_WORKSPACE = '';
const RECEIVER = {
  id: 'accounts:mail',
  workspaceId: NO_WORKSPACE,
  projectId: '',
  service: '',
  url: 'mailto:',
  kind: 'mail',
} as const;

/** Marks a stored body that is sealed: it contains a one-time token. */
const SEALED = 'sealed:';

/** Returns the message of a mail about an account. Its body is stored sealed. @throws Error if it was sealed with an unknown key */
export type AccountMessages = (accountMailRequested: AccountMailRequested, now: Date) => readonly NewMessage[];

export function makeAccountMessages(sealer: Pick<Sealer, 'seal' | 'open'>, consoleUrl: string): AccountMessages {
  return ({ id, kind, sealed, at }, now) => {
    const content = AccountMailContent.parse(JSON.parse(sealer.open(sealed, id)));
    const mail = renderAccountMail(kind, content, consoleUrl);
    return [
      {
        key: `${id}:mail`,
        receiver: RECEIVER,
        runId: '',
        event: `account.${kind}`,
        recipient: content.to,
        createdAt: at ?? now,
        body: (deliveryId) => SEALED + sealer.seal(JSON.stringify(mail), deliveryId).toString('base64'),
      },
    ];
  };
}

/** Returns the body of a mail as it is sent. */
export const openMailBody = (sealer: Pick<Sealer, 'open'>, { id, body }: { id: string; body: string }): string =>
  body.startsWith(SEALED) ? sealer.open(Buffer.from(body.slice(SEALED.length), 'base64'), id) : body;
