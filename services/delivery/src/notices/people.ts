import type { HttpClient } from '@tidemark/egress';
import type { Logger, Peer } from '@tidemark/service';
import { makeChatMessages } from '../chat/chat-messages.ts';
import { knownDigest, makeComposeDigest } from '../digest/compose-digest.ts';
import { RestingModels } from '../digest/resting-models.ts';
import { makeMailMessages } from '../mail/mail-messages.ts';
import type { People } from '../telling/ports.ts';
import { makeKeepNotices } from './keep-notices.ts';
import type { NoticeStore } from './notice-store.ts';

export interface PeopleDeps {
  readonly notices: NoticeStore;
  /** The service that keeps connections. */
  readonly connections: Peer;
  /** Guarded: what models are asked through. */
  readonly client: HttpClient;
  /** Empty: messages carry no links to it. */
  readonly consoleUrl: string;
  readonly isMailOn: boolean;
  readonly log: Logger;
}

/** How people are told: by chat, by mail, or by notices where nobody can be written to. */
export function makePeople({ notices, connections, client, consoleUrl, isMailOn, log }: PeopleDeps): People {
  return {
    knownDigest,
    composeDigest: makeComposeDigest({ connections, client, log, resting: new RestingModels(() => performance.now()) }),
    chatMessages: makeChatMessages(consoleUrl),
    mailMessages: isMailOn ? makeMailMessages(consoleUrl) : () => [],
    keepNotices: makeKeepNotices({ notices, isMailOn }),
  };
}
