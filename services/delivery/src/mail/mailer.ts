import { messageOf } from '@tidemark/errors';
import { createTransport } from 'nodemailer';
import { z } from 'zod';
import type { DeliveryResult, Send } from '../domain/delivery.ts';
import { plain } from '../report/plain-text.ts';

const CONNECT_MS = 10_000;
const SILENCE_MS = 20_000;
/** For one mail, whatever its host does: well within the time of an attempt. */
const WITHIN_MS = 30_000;
const MAX_ANSWER_CHARS = 300;

const Kept = z.object({ subject: z.string(), text: z.string(), html: z.string() });
/** What nodemailer tells of a refusal, beside its words. */
const Refusal = z.object({
  responseCode: z.number().optional(),
  response: z.string().optional(),
  code: z.string().optional(),
  command: z.string().optional(),
});

export interface MailerOptions {
  /** smtp:// or smtps://, credentials included. */
  readonly url: string;
  /** Who mails are from. */
  readonly from: string;
  readonly withinMs?: number;
}

/**
 * Sends mails through the operator's mail host. A mail is final where its host refuses this reader or this message for good; all else is the
 * operator's to mend, and is tried again. At the end of its time the connection is closed, so that no mail is taken that was noted as failed.
 */
export function makeSendMail({ url, from, withinMs = WITHIN_MS }: MailerOptions): Send {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // What was left to write is dropped with the connection.
    socketCloseTimeout: 0,
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
      signal: AbortSignal.timeout(withinMs),
    };
    try {
      return taken((await transport.sendMail(message)).response);
    } catch (error) {
      return refused(error);
    }
  };
}

function taken(response: string): DeliveryResult {
  return { status: codeIn(response), error: '', answer: plain(response, MAX_ANSWER_CHARS) };
}

function refused(error: unknown): DeliveryResult {
  const { responseCode = 0, response = '', code = '', command = '' } = Refusal.safeParse(error).data ?? {};
  // Credentials that are refused say nothing of the mail, and an answer to them may repeat them.
  if (code === 'EAUTH')
    return { status: responseCode, error: 'the mail host refuses our credentials', answer: '', isFinal: false };
  if (responseCode >= 400) {
    const answer = plain(response, MAX_ANSWER_CHARS);
    // A host may refuse us in its greeting, and our sender after MAIL FROM, with the same codes.
    const isOfThisMail = command === 'RCPT TO' || code === 'EMESSAGE';
    return {
      status: responseCode,
      error: `SMTP ${responseCode}`,
      answer,
      isFinal: isOfThisMail && responseCode >= 500,
    };
  }
  return notSent(code, messageOf(error));
}

/** A mail the host was not even asked to take, or gave no answer to. */
function notSent(code: string, message: string): DeliveryResult {
  const isFinal = (error: string): DeliveryResult => ({ status: 0, error, answer: '', isFinal: true });
  if (code === 'EMESSAGE') return isFinal('the mail host takes no mail as large as this');
  if (code !== 'EENVELOPE') return { status: 0, error: 'the mail host gave no answer', answer: '', isFinal: false };
  // nodemailer names the part of the envelope in words alone.
  if (message.startsWith('Invalid sender'))
    return { status: 0, error: 'MAIL_FROM is no address', answer: '', isFinal: false };
  return isFinal('no address it can be sent to');
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
