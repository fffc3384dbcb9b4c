import type { Socket } from 'node:net';
import type { DialConfigured } from '@tidemark/egress';
import { messageOf } from '@tidemark/errors';
import { createTransport } from 'nodemailer';
import type SMTPTransport from 'nodemailer/lib/smtp-transport';
import { z } from 'zod';
import type { DeliveryResult, Send } from '../domain/delivery.ts';
import { plain } from '../report/plain-text.ts';

const CONNECT_MS = 10_000;
const SILENCE_MS = 20_000;
/** Timeout of one mail, ms. Must be below the timeout of an attempt. */
const WITHIN_MS = 30_000;
const MAX_RESPONSE_CHARS = 300;

const Kept = z.object({ subject: z.string(), text: z.string(), html: z.string() });
/** Fields of a nodemailer error. */
const Refusal = z.object({
  responseCode: z.number().optional(),
  response: z.string().optional(),
  code: z.string().optional(),
  command: z.string().optional(),
});

export interface MailerOptions {
  /** smtp:// or smtps://, credentials included. */
  readonly url: string;
  /** Sender of mails. */
  readonly from: string;
  readonly withinMs?: number;
  /** Opens the connection to the mail host, through the proxy of the operator; absent: directly. */
  readonly openSocket?: DialConfigured | undefined;
}

/**
 * Sends mails through the operator's mail host. A permanent refusal of this recipient or this message is final; other failures are retried, as
 * the operator may fix them. On timeout the connection is closed, so that no mail is accepted after its attempt was stored as failed.
 */
export function makeSendMail({ url, from, withinMs = WITHIN_MS, openSocket }: MailerOptions): Send {
  const transport = createTransport({
    url,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    // Unsent data is dropped with the connection.
    socketCloseTimeout: 0,
    // A body is text: nodemailer reads no files or addresses for it.
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(openSocket === undefined ? {} : { getSocket: makeGetSocket(openSocket) }),
  });
  const domain = domainOf(from);
  return async ({ id, recipient, body }) => {
    const mail = readMail(body);
    if (mail === undefined) return { status: 0, error: 'the stored body is no mail', answer: '', isFinal: true };
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

type SocketOfMailHost = (error: Error | null, found?: { readonly connection: Socket }) => void;

/** Makes nodemailer’s hook that opens the connection to the mail host. It connects itself where the hook returns none. */
const makeGetSocket =
  (openSocket: DialConfigured) =>
  ({ host = 'localhost', port, secure }: SMTPTransport.Options, callback: SocketOfMailHost): void => {
    openSocket(host, Number(port ?? (secure === true ? 465 : 587)), { timeoutMs: CONNECT_MS }).then(
      (connection) => (connection === undefined ? callback(null) : callback(null, { connection })),
      (error: unknown) => callback(new Error(messageOf(error), { cause: error })),
    );
  };

function taken(response: string): DeliveryResult {
  return { status: codeIn(response), error: '', answer: plain(response, MAX_RESPONSE_CHARS) };
}

function refused(error: unknown): DeliveryResult {
  const { responseCode = 0, response = '', code = '', command = '' } = Refusal.safeParse(error).data ?? {};
  // Refused credentials are no failure of the mail, and the response may repeat them.
  if (code === 'EAUTH')
    return { status: responseCode, error: 'the mail host refuses our credentials', answer: '', isFinal: false };
  if (responseCode >= 400) {
    const answer = plain(response, MAX_RESPONSE_CHARS);
    // The greeting and MAIL FROM may be refused with the same codes, independent of the mail.
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

/** Result of a mail that was not sent to the host, or not responded to. */
function notSent(code: string, message: string): DeliveryResult {
  const isFinal = (error: string): DeliveryResult => ({ status: 0, error, answer: '', isFinal: true });
  if (code === 'EMESSAGE') return isFinal('the mail is larger than the mail host accepts');
  if (code !== 'EENVELOPE') return { status: 0, error: 'the mail host did not respond', answer: '', isFinal: false };
  // nodemailer names the part of the envelope in its message only.
  if (message.startsWith('Invalid sender'))
    return { status: 0, error: 'MAIL_FROM is no address', answer: '', isFinal: false };
  return isFinal('the recipient is not a valid address');
}

const codeIn = (response: string): number => Number(/^(\d{3})/.exec(response)?.[1] ?? 250);

/** Returns the domain of an address such as `Tidemark <tidemark@example.com>`. */
const domainOf = (from: string): string => /@([a-z0-9.-]+)/i.exec(from)?.[1] ?? 'localhost';

function readMail(body: string): z.output<typeof Kept> | undefined {
  try {
    return Kept.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
