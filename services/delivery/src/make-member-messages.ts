import type { HttpClient } from '@tidemark/egress';
import { SlowModels } from '@tidemark/models';
import type { Logger, Peer } from '@tidemark/service';
import { makeChatMessages } from './chat/chat-messages.ts';
import { knownDigest, makeComposeDigest } from './digest/compose-digest.ts';
import type { RecordTokens } from './digest/record-tokens.ts';
import { makeMailMessages } from './mail/mail-messages.ts';
import type { NoticeStore } from './notices/notice-store.ts';
import { makeStoreNotice } from './notices/store-notice.ts';
import type { MemberMessages } from './notifications/ports.ts';

export interface MemberMessagesDeps {
  readonly notices: NoticeStore;
  /** The service that stores connections. */
  readonly connections: Peer;
  /** Guarded client for calls to models. */
  readonly client: HttpClient;
  /** Empty: messages carry no links to it. */
  readonly consoleUrl: string;
  readonly isMailOn: boolean;
  readonly recordTokens: RecordTokens;
  readonly log: Logger;
}

/** Makes the functions that compose digests, chat messages, mails and, without a mail host, notices. */
export function makeMemberMessages({
  notices,
  connections,
  client,
  consoleUrl,
  isMailOn,
  recordTokens,
  log,
}: MemberMessagesDeps): MemberMessages {
  return {
    knownDigest,
    composeDigest: makeComposeDigest({
      connections,
      client,
      log,
      recordTokens,
      slowModels: new SlowModels(() => performance.now()),
    }),
    chatMessages: makeChatMessages(consoleUrl),
    mailMessages: isMailOn ? makeMailMessages(consoleUrl) : () => [],
    storeNotice: makeStoreNotice({ notices, isMailOn }),
  };
}
