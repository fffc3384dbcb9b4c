import { randomBytes } from 'node:crypto';

const SECRET_BYTES = 32;

/** Prefix of webhook secrets, as Standard Webhooks requires. */
export const SECRET_PREFIX = 'whsec_';

/** Generates a signing secret: `whsec_` and the base64 of 32 bytes. */
export const newSecret = (): string => `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
