import { AppError } from '@tidemark/errors';
import { dictionary } from '@zxcvbn-ts/language-common';

/** Limits the work of one hash; NIST SP 800-63B-4 requires at least 64 characters to be accepted. */
export const PASSWORD_MAX = 256;
/** Words of the product, which guessers try first. */
const PRODUCT_WORDS = ['tidemark', 'password', 'passwort'];
/** Shorter parts of a name or address are in many good passwords by chance. */
const MIN_WORD = 4;
/** A password must have this many characters besides a word that is known of its owner. */
const MIN_REST = 6;

const COMMON: ReadonlySet<string> = new Set(dictionary['passwords-common']);
const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
  '|': 'l',
};

/** What is known about the owner of a password. */
export interface PasswordOwner {
  readonly email: string;
  readonly name: string;
}

/**
 * Refuses a password that is too short, too long or easy to guess. There is no rule of composition (NIST SP 800-63B-4, 3.1.1.2).
 * @throws AppError validation naming the field
 */
export function checkPassword(password: string, owner: PasswordOwner, minChars: number): void {
  const problem = problemOf(password, owner, minChars);
  if (problem === undefined) return;
  const detail = [{ loc: ['body', 'password'], msg: problem, type: 'password' }];
  throw new AppError('validation', `password: ${problem}`, { detail });
}

function problemOf(password: string, owner: PasswordOwner, minChars: number): string | undefined {
  const chars = [...password].length;
  if (chars < minChars) return `has ${chars} characters; expected at least ${minChars}`;
  if (chars > PASSWORD_MAX) return `has ${chars} characters; expected at most ${PASSWORD_MAX}`;
  if (isCommon(password)) return 'is a common password or a variant of one; choose another, such as four random words';
  if (isAboutOwner(password, owner))
    return 'consists mostly of the name, the address or the product; choose another, such as four random words';
  if (new Set(password.toLowerCase()).size < MIN_WORD) return 'repeats a few characters; choose another';
  return undefined;
}

/** Looks up the forms that guessers derive: lower case, letters for digits and signs, and no digits or signs at the ends. */
function isCommon(password: string): boolean {
  const lower = password.toLowerCase();
  return [lower, stripEnds(lower)].some((form) =>
    [form, deleet(form), stripEnds(deleet(form))].some((variant) => COMMON.has(variant)),
  );
}

const stripEnds = (text: string): string => text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '');
const deleet = (text: string): string => text.replace(/[013457@$!|]/g, (char) => LEET[char] ?? char);

function isAboutOwner(password: string, { email, name }: PasswordOwner): boolean {
  const words = [...email.split(/[@.+_-]/), ...name.split(/\s+/), email, ...PRODUCT_WORDS]
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= MIN_WORD)
    .toSorted((a, b) => b.length - a.length);
  const rest = words.reduce((text, word) => text.replaceAll(word, ''), deleet(password.toLowerCase()));
  const plainRest = words.reduce((text, word) => text.replaceAll(word, ''), password.toLowerCase());
  return Math.min(rest.length, plainRest.length) < Math.min(MIN_REST, password.length);
}
