import { createHash, randomBytes } from 'node:crypto';

/** 256 bits, so that an unsalted SHA-256 is sufficient at rest. */
const TOKEN_BYTES = 32;
const SHAPE = /^[A-Za-z0-9_-]{43}$/;

/** Returns a new random token of a session or of a link. */
export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

/** Returns whether a text has the shape of a token. Used to refuse others without a query. */
export const isToken = (text: string): boolean => SHAPE.test(text);

/** Returns the SHA-256 under which a token is stored and looked up. */
export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();
