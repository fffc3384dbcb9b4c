import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** How secrets of webhooks begin, as Standard Webhooks wants it. */
export const SECRET_PREFIX = 'whsec_';

/** Something to sign messages with: `whsec_` and the base64 of 32 bytes. */
export const newSecret = (): string => `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
