/** A limit on events of one subject in a fixed window. */
export interface Limit {
  readonly name: string;
  readonly max: number;
  readonly seconds: number;
}

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** Limits on guesses and on mails. A person mistypes a few times; a program tries thousands. */
export const LIMITS = {
  loginOfAccountAndAddress: { name: 'login', max: 5, seconds: 15 * MINUTE },
  loginOfAccount: { name: 'login-account', max: 20, seconds: HOUR },
  loginOfAddress: { name: 'login-address', max: 100, seconds: HOUR },
  signUpOfAddress: { name: 'signup', max: 3, seconds: HOUR },
  resetOfAccount: { name: 'reset', max: 3, seconds: HOUR },
  resetOfAddress: { name: 'reset-address', max: 10, seconds: HOUR },
  verifyOfAccount: { name: 'verify', max: 3, seconds: HOUR },
  invitesOfWorkspace: { name: 'invite', max: 50, seconds: DAY },
  /** At 20 codes a day a year of guessing finds a code with 2 %. */
  codes: { name: 'code', max: 5, seconds: 15 * MINUTE },
  codesOfDay: { name: 'code-day', max: 20, seconds: DAY },
  challengesOfAddress: { name: 'challenge-address', max: 300, seconds: HOUR },
  tokensOfAddress: { name: 'token-address', max: 60, seconds: HOUR },
  /** Entries of refused sign-ins in audit logs. */
  refusalsOfPerson: { name: 'refusal', max: 20, seconds: DAY },
  refusalsOfWorkspace: { name: 'refusal-workspace', max: 200, seconds: DAY },
  passwordChecks: { name: 'password', max: 5, seconds: 15 * MINUTE },
} as const satisfies Record<string, Limit>;

/** Lifetimes, seconds. */
export const LIFETIMES = {
  session: 30 * DAY,
  idle: 7 * DAY,
  /** A session that waits for the code of the second factor. */
  halfSession: 10 * MINUTE,
  verify: DAY,
  reset: 30 * MINUTE,
  setup: DAY,
  undo: 7 * DAY,
  invite: 7 * DAY,
  /** The way to a sign-in provider and back. */
  oidc: 10 * MINUTE,
  /** A challenge of a passkey. */
  challenge: 5 * MINUTE,
  unverifiedUser: DAY,
} as const;

/** How long a code counts as fresh, seconds. */
export const CODE_FRESH_SECONDS = 10 * MINUTE;
/** Sessions of one person; a further sign-in ends the oldest. */
export const MAX_SESSIONS = 20;
/** Passkeys of one person. */
export const MAX_PASSKEYS = 20;
/** How long a sign-in counts as fresh for people without a password, seconds. */
export const SIGN_IN_FRESH_SECONDS = 10 * MINUTE;
export const MAX_MEMBERS = 1_000;

/** Returns the group of addresses that one client can use: an IPv6 network of 64 bits. */
export function addressGroup(ip: string): string {
  const plain = ip.replace(/^::ffff:/i, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail = ''] = plain.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  const rest = tail.split(':').filter((group) => group !== '');
  const zeros = plain.includes('::')
    ? Array.from({ length: Math.max(0, 8 - groups.length - rest.length) }, () => '0')
    : [];
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`;
}

/** Returns whether an address is of this machine. */
const isLoopback = (ip: string): boolean => /^(::1|(::ffff:)?127\.\d{1,3}\.\d{1,3}\.\d{1,3})$/i.test(ip);

/** An attempt that counts against a limit. */
export interface Attempt {
  readonly limit: Limit;
  /** Whose attempt it is: an address, an account, or both. */
  readonly of: string;
}

/**
 * Returns the attempt that counts for a client address. Loopback has no limit of its own: all clients of a proxy on this machine would share
 * it. Limits of accounts still hold.
 */
export const ofAddress = (limit: Limit, ip: string): Attempt[] =>
  isLoopback(ip) ? [] : [{ limit, of: addressGroup(ip) }];
