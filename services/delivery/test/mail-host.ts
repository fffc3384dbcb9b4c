import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

const HOST = '127.0.0.1';

/** A mail host that records what it receives. */
export interface MailHost {
  readonly url: string;
  readonly received: readonly { readonly to: readonly string[]; readonly raw: string }[];
  close(): Promise<void>;
}

export async function startMailHost(options: SMTPServerOptions = {}): Promise<MailHost> {
  const received: { readonly to: readonly string[]; readonly raw: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    closeTimeout: 50,
    onData(stream, session, done) {
      let raw = '';
      stream.on('data', (chunk) => {
        raw += String(chunk);
      });
      stream.on('end', () => {
        received.push({ to: session.envelope.rcptTo.map(({ address }) => address), raw });
        done();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, HOST, () => resolve()));
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= new Promise<void>((resolve) => server.close(() => resolve()));
    return closing;
  };
  return { url: `smtp://${HOST}:${port}`, received, close };
}

/** An SMTP refusal. */
export const refusal = (code: number, words: string): Error => Object.assign(new Error(words), { responseCode: code });

/** Decodes quoted-printable (RFC 2045, section 6.7). */
export function decoded(raw: string): string {
  const bytes = raw
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
