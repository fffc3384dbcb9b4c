import type { AlertChannel } from '@tidemark/contracts/config/v1/config';
import type { AlertMatch } from '@tidemark/contracts/diff/v1/diff';

/** A change that an alert rule matches, to be sent through one channel. */
export interface ChannelMatch {
  readonly channel: AlertChannel;
  /** When it is sent. */
  readonly dueAt: Date;
  readonly match: AlertMatch;
}
