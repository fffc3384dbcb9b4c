import { createTransport } from 'nodemailer';
import { z } from 'zod';
import type { Outcome, Send } from '../domain/delivery.ts';
import { plain } from '../notices/plain-text.ts';

const CONNECT_MS = 10_000;
const SILENCE_MS = 20_000;
/** For one mail, whatever its host does. */
const WITHIN_MS = 45_000;
const MAX_ANSWER_CHARS = 300;

const Kept = z.object({ subject: z.string(), text: z.string(), html: z.string() });
/** What nodemailer tells of a refusal, beside its words. */
const Refusal = z.object({
  responseCode: z.number().optional(),
  response: z.string().optional(),
  code: z.string().optional(),
});

export interface MailerOptions {
  /** smtp:// or smtps://, credentials included. */
  readonly url: string;
  /** Who mails are from. */
  readonly from: string;
  readonly withinMs?: number;
}

/**
 * Sends mails through the operator's mail host. A host that isn't there, takes nobody in for now or doesn't know our credentials is tried
 * again; a mail it refuses for good is not.
 */
export function makeSendMail({ url, from, withinMs = WITHIN_MS }: MailerOptions): Send {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // A body is text: nothing in it names a file or an address to fetch.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const domain = domainOf(from);
  return async ({ id, recipient, body }) => {
    const mail = readMail(body);
    if (mail === undefined) return { status: 0, error: 'what was kept is no mail', answer: '', isFinal: true };
    const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' };
    const to = { name: '', address: recipient };
    const message = {
      ...mail,
      textEncoding: 'quoted-printable' as const,
      from,
      to,
      messageId: `<${id}@${domain}>`,
      headers,
    };
    try {
      return taken((await within(transport.sendMail(message), withinMs)).response);
    } catch (error) {
      return refused(error);
    }
  };
}

function taken(response: string): Outcome {
  return { status: codeIn(response), error: '', answer: plain(response, MAX_ANSWER_CHARS) };
}

function refused(error: unknown): Outcome {
  const { responseCode = 0, response = '', code = '' } = Refusal.safeParse(error).data ?? {};
  // Credentials that are refused say nothing of the mail, and an answer to them may repeat them.
  if (code === 'EAUTH')
    return { status: responseCode, error: 'the mail host refuses our credentials', answer: '', isFinal: false };
  if (responseCode >= 400) {
    const answer = plain(response, MAX_ANSWER_CHARS);
    return { status: responseCode, error: `SMTP ${responseCode}`, answer, isFinal: responseCode >= 500 };
  }
  const isFinal = code === 'EENVELOPE';
  return {
    status: 0,
    error: isFinal ? 'no address it can be sent to' : 'the mail host gave no answer',
    answer: '',
    isFinal,
  };
}

const codeIn = (response: string): number => Number(/^(\d{3})/.exec(response)?.[1] ?? 250);

/** What comes after the @ of an address such as `Tidemark <tidemark@example.com>`. */
const domainOf = (from: string): string => /@([a-z0-9.-]+)/i.exec(from)?.[1] ?? 'localhost';

function readMail(body: string): z.output<typeof Kept> | undefined {
  try {
    return Kept.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

async function within<T>(sent: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it took too long')), ms);
  });
  try {
    return await Promise.race([sent, late]);
  } finally {
    clearTimeout(timer);
  }
}
