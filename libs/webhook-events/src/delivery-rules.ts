/** Id of a delivery, for examples. */
export const EXAMPLE_DELIVERY_ID = 'whd_01m821pd5eesg9awz1pfpjpt25';

/** Time in which a receiver must answer, seconds. */
export const RESPONSE_SECONDS = 10;

/** Delays before each retry of a delivery, minutes; about a day in all. */
export const RETRY_DELAYS_MINUTES = [1, 5, 30, 120, 360, 720] as const;

/** Statuses of the class 4xx after which a delivery is retried: a timeout and a rate limit of the receiver. */
export const RETRIED_CLIENT_ERRORS: readonly number[] = [408, 429];

/** Whether a delivery is retried after this status; 0 means that no response arrived. */
export const isRetriedStatus = (status: number): boolean =>
  status === 0 || status >= 500 || RETRIED_CLIENT_ERRORS.includes(status);

/** Writes a delay as people do, such as `2 h`. */
export const delayText = (minutes: number): string => (minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} m`);

const delays = RETRY_DELAYS_MINUTES.map(delayText);

/** What a receiver must do, and what happens otherwise. */
export const DELIVERY_RULES = `Respond with 2xx within ${RESPONSE_SECONDS} seconds. After no response, 5xx, ${RETRIED_CLIENT_ERRORS.join(' or ')} the message is sent again after ${delays.slice(0, -1).join(', ')} and ${delays.at(-1)}. Any other response, redirects included, fails the delivery at once. A message can arrive more than once, always with the same id.`;

/** Headers of every message. */
export const WEBHOOK_HEADERS: Readonly<Record<string, { readonly description: string; readonly example: string }>> = {
  'X-Service-Event': { description: 'Name of the event', example: 'run.finished' },
  'X-Service-Delivery': {
    description: 'Id of the delivery, the same for every attempt',
    example: EXAMPLE_DELIVERY_ID,
  },
  'X-Service-Signature': {
    description: '`sha256=` and the hex HMAC-SHA256 of the raw body, keyed with the secret as shown',
    example: 'sha256=4c1d63b1a5d2c8e6f0a7b9d3e5c1f2a4b6d8e0f1a3c5b7d9e1f3a5c7b9d1e3f5',
  },
  'webhook-id': {
    description: 'Id of the delivery (Standard Webhooks)',
    example: EXAMPLE_DELIVERY_ID,
  },
  'webhook-timestamp': { description: 'Time of this attempt, Unix seconds', example: '1795253401' },
  'webhook-signature': {
    description:
      '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, keyed with the bytes after `whsec_`; with both secrets for a day after a rotation',
    example: 'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  },
};
