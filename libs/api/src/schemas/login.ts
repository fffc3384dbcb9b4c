import { parseWebUrl } from '@tidemark/web-url';
import { z } from 'zod';
import { isStorable } from './config-values.ts';
import { FETCH_KEYS } from './fetch-keys.ts';
import { Time } from './parts.ts';

export const LOGIN_STATES = ['works', 'dead', 'unknown'] as const;

export const LoginId = FETCH_KEYS.login_id.schema;

/** Bytes of an export; a browser's whole jar is about as large. */
const MAX_EXPORT_CHARACTERS = 500_000;
const MAX_EXPORTED = 5_000;

export const LoginName = z
  .string()
  .trim()
  .max(200)
  .refine(isStorable, 'a name holds no NUL and no half of a character');

export const LoginSite = z
  .string()
  .trim()
  .max(2_048)
  .refine((site) => parseWebUrl(site.includes('://') ? site : `https://${site}/`).ok, 'expected a host or an address')
  .describe('The host the session belongs to, or any address of it');

/** Exports hold more fields than are used; those are passed over. */
export const ExportedCookie = z
  .looseObject({
    name: z.string(),
    value: z.string(),
    domain: z.string().optional().describe('The host it is for; the site itself by default'),
    path: z.string().nullish(),
    hostOnly: z
      .boolean()
      .nullish()
      .describe('Whether subdomains do not get it; by default they do where `domain` begins with a dot'),
    secure: z.boolean().nullish(),
    httpOnly: z.boolean().nullish(),
    sameSite: z.string().nullish(),
    expires: z
      .union([z.number(), z.string()])
      .nullish()
      .describe('Seconds since 1970, or a date; without it, or below 1, it ends with the session'),
    expirationDate: z.number().nullish().describe('The same, as browser extensions write it'),
  })
  .meta({ id: 'ExportedCookie' });
export type ExportedCookie = z.output<typeof ExportedCookie>;

export const ExportedCookies = z.array(ExportedCookie).min(1).max(MAX_EXPORTED);

/** A session begun elsewhere: its cookies, however they were exported. Never shown, never logged. */
export const Session = z
  .union(
    [
      ExportedCookies,
      z.looseObject({ cookies: ExportedCookies }).describe('The storage state of an automated browser'),
      z.string().min(1).max(MAX_EXPORT_CHARACTERS).describe('A cookies.txt file, or any of the others as JSON text'),
    ],
    {
      error:
        'expected a list of cookies with name and value, a storage state with `cookies`, or the text of a cookies.txt file',
    },
  )
  .describe(
    'The cookies of a signed-in session: a list, a storage state, a browser extension’s export, or the text of a cookies.txt. They are sealed and never shown again',
  );
export type Session = z.output<typeof Session>;

const login = {
  id: z.string(),
  site: z.string().describe('The host it belongs to'),
  name: z.string().nullable(),
  savedBy: z.string().describe('The key that saved it'),
  savedAt: Time,
  termsAcceptedAt: Time,
  state: z.enum(LOGIN_STATES).describe('Whether it still works, as far as is known'),
  reason: z.string().nullable().describe('What that is known by'),
  checkedAt: Time.nullable(),
  cookies: z.int().describe('How many the session holds'),
  expiresAt: Time.nullable().describe('When the first of its cookies ends that says so'),
  projects: z.array(z.string()).describe('Projects that fetch with it, of those the key may see'),
};

/** A saved login in a list. The session itself is never shown. */
export const LoginSummary = z.object(login).meta({ id: 'LoginSummary' });
export type LoginSummary = z.output<typeof LoginSummary>;

const around = { creditsUsed: z.int(), request_id: z.string() };

export const Login = z.object({ ...login, ...around }).meta({ id: 'Login' });

export const LoginTest = z
  .object({
    ...login,
    test: z.object({
      answered: z.boolean().describe('Whether the site answered with a page'),
      httpStatus: z.int().nullable().describe('null where no answer came'),
      showsLogin: z.boolean().describe('Whether that page asks to sign in'),
      landedUrl: z.string().nullable(),
      reason: z.string(),
    }),
    ...around,
  })
  .meta({ id: 'LoginTest' });
