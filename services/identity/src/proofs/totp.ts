import { Secret, TOTP } from 'otpauth';

/** RFC 6238 with the values that every authenticator app supports: SHA-1, 6 digits, 30 s. */
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;
/** Steps before and after the current one that are accepted. */
const WINDOW = 1;

/** Returns a new secret in base32. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** Returns the address that an authenticator app reads from the QR code. */
export const otpauthUrl = (secret: string, email: string): string => totpOf(secret, email).toString();

/** Returns the time step of a right code; undefined for a wrong one. The caller refuses a step that is not above the last one. */
export function stepOf(secret: string, code: string, now: Date): number | undefined {
  // The library throws on digits other than ASCII's.
  if (!/^[0-9]{6}$/.test(code)) return undefined;
  const delta = totpOf(secret, '').validate({ token: code, timestamp: now.getTime(), window: WINDOW });
  return delta === null ? undefined : Math.floor(now.getTime() / 1_000 / PERIOD_SECONDS) + delta;
}

const totpOf = (secret: string, label: string): TOTP =>
  new TOTP({
    issuer: 'Tidemark',
    label: label === '' ? 'account' : label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: Secret.fromBase32(secret),
  });
