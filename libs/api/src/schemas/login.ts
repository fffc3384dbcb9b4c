import { CONFIG_KEYS } from '@tidemark/project-config';
import { Time } from '@tidemark/results';
import { parseWebUrl } from '@tidemark/web-url';
import { z } from 'zod';
import { nameText } from './parts.ts';

export const LOGIN_STATES = ['works', 'dead', 'unknown'] as const;

export const LoginId = CONFIG_KEYS.login_id.schema;

/** Size limit of an export; about the size of a complete browser cookie jar. */
const MAX_EXPORT_CHARACTERS = 500_000;
const MAX_EXPORTED = 5_000;

export const LoginName = nameText(200);

export const LoginSite = z
  .string()
  .trim()
  .max(2_048)
  .refine((site) => parseWebUrl(site.includes('://') ? site : `https://${site}/`).ok, 'expected a host or a URL')
  .describe('The host of the session, or any URL of it');

/** An exported cookie; unknown fields are ignored. */
export const ExportedCookie = z
  .looseObject({
    name: z.string(),
    value: z.string(),
    domain: z.string().optional().describe('Host of the cookie; by default the site'),
    path: z.string().nullish(),
    hostOnly: z
      .boolean()
      .nullish()
      .describe('Whether subdomains are excluded; by default they are included if `domain` starts with a dot'),
    secure: z.boolean().nullish(),
    httpOnly: z.boolean().nullish(),
    sameSite: z.string().nullish(),
    expires: z
      .union([z.number(), z.string()])
      .nullish()
      .describe('Unix seconds or a date; absent or below 1 for a session cookie'),
    expirationDate: z.number().nullish().describe('The same as written by browser extensions'),
  })
  .meta({ id: 'ExportedCookie' });
export type ExportedCookie = z.output<typeof ExportedCookie>;

export const ExportedCookies = z.array(ExportedCookie).min(1).max(MAX_EXPORTED);

/** The exported cookies of a signed-in session. Never returned, never logged. */
export const Session = z
  .union(
    [
      ExportedCookies,
      z.looseObject({ cookies: ExportedCookies }).describe('The storage state of an automated browser'),
      z
        .string()
        .min(1)
        .max(MAX_EXPORT_CHARACTERS)
        .describe('A cookies.txt file, or one of the other formats as JSON text'),
    ],
    {
      error:
        'expected a list of cookies with name and value, a storage state with `cookies`, or the text of a cookies.txt file',
    },
  )
  .describe(
    'The cookies of a signed-in session: a list, a storage state, an export of a browser extension, or the text of a cookies.txt. Stored encrypted and never returned',
  );
export type Session = z.output<typeof Session>;

const login = {
  id: z.string(),
  site: z.string().describe('Host of the session'),
  name: z.string().nullable(),
  savedBy: z.string().describe('The member or API key that saved it: usr_… or key_…'),
  savedAt: Time,
  termsAcceptedAt: Time,
  state: z.enum(LOGIN_STATES).describe('Result of the last use: whether it still works'),
  reason: z.string().nullable().describe('Reason for the state'),
  checkedAt: Time.nullable(),
  cookies: z.int().describe('Number of cookies in the session'),
  expiresAt: Time.nullable().describe('Earliest expiry of its cookies'),
  projects: z.array(z.string()).describe('Projects that use it, as far as visible to the key'),
};

/** A saved login in a list. The session itself is never returned. */
export const LoginSummary = z.object(login).meta({ id: 'LoginSummary' });
export type LoginSummary = z.output<typeof LoginSummary>;

const around = { creditsUsed: z.int(), request_id: z.string() };

export const Login = z.object({ ...login, ...around }).meta({ id: 'Login' });

export const LoginTest = z
  .object({
    ...login,
    test: z.object({
      answered: z.boolean().describe('Whether the site responded with a page'),
      httpStatus: z.int().nullable().describe('null if no response arrived'),
      showsLogin: z.boolean().describe('Whether that page is a login page'),
      landedUrl: z.string().nullable(),
      reason: z.string(),
    }),
    ...around,
  })
  .meta({ id: 'LoginTest' });
