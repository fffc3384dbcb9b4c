import type { DeliveryResult, Send } from '../domain/delivery.ts';
import type { Post } from '../http/post-message.ts';
import { chatBody, readReport } from './chat-body.ts';

const HEADERS = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'Tidemark-Webhook/1.0' };
/** Parts of an address with at least so many characters may be secret, as may be their starts at the end of a cut text. */
const MIN_SECRET_CHARS = 8;
const MIN_BEGINNING_CHARS = 3;
/** Connectors of Teams respond with 200 and report a failure in the text. */
const TEAMS_ERROR = /HTTP error (\d{3})/;

/** Sends a stored report to a chat channel, rendered for the service of its current address. */
export function makeSendChat(post: Post): Send {
  return async ({ url, body: kept, queueKey }) => {
    const report = readReport(kept);
    if (report === undefined) return refused('the stored body is no report');
    const made = chatBody(url, report);
    if ('reason' in made) return refused(made.reason);
    const result = await post({ url, body: made.body, headers: HEADERS, queueKey });
    return withTeamsStatus({ ...result, answer: withoutSecrets(result.answer, url) });
  };
}

const refused = (error: string): DeliveryResult => ({ status: 0, error, answer: '', isFinal: true });

function withTeamsStatus(result: DeliveryResult): DeliveryResult {
  const status = result.status === 200 ? Number(TEAMS_ERROR.exec(result.answer)?.[1] ?? 200) : result.status;
  return status === result.status ? result : { ...result, status, error: `HTTP ${status}` };
}

/** Removes parts of the address, which is a secret, from a response; also where the response was cut inside such a part. */
function withoutSecrets(answer: string, url: string): string {
  const { pathname, searchParams } = new URL(url);
  const parts = [...pathname.split('/'), ...searchParams.values()].filter((part) => part.length >= MIN_SECRET_CHARS);
  return parts.reduce((left, part) => withoutBeginning(left.replaceAll(part, '…'), part), answer);
}

/** Removes the start of a secret from the end of a text. */
function withoutBeginning(text: string, secret: string): string {
  for (let length = Math.min(secret.length - 1, text.length); length >= MIN_BEGINNING_CHARS; length -= 1)
    if (text.endsWith(secret.slice(0, length))) return `${text.slice(0, -length)}…`;
  return text;
}
