import { HOSTILE_ADDRESSES, HOSTS } from '../../web/server.ts';
import { isInternal } from '../internal.ts';
import type { Attempt, Outcome } from './attempt.ts';
import type { Field } from './fields.ts';
import type { PayloadTable } from './payloads.ts';
import { payloadsPerField } from './settings.ts';

/** A payload in a field. */
export interface Placed {
  readonly attempt: Attempt;
  readonly field: Field;
  readonly payload: string;
}

/**
 * Returns a payload that names no host but this machine's: paths and spellings of public addresses are kept, on the local address `at`. Nothing
 * of a table is ever requested elsewhere.
 */
export function local(payload: string, port: number, at: number): string {
  const parsed = URL.parse(payload) ?? URL.parse(`http:${payload}`) ?? URL.parse(`http://${payload}`);
  if (parsed === null || !/^https?:$/.test(parsed.protocol) || isInternal(parsed.href)) return payload;
  const address = HOSTILE_ADDRESSES[at % HOSTILE_ADDRESSES.length];
  return `http://${address}:${port}${parsed.pathname}${parsed.search}${parsed.hash}`;
}

/** Numbers in an order that depends on a seed: every one once. */
function* shuffled(length: number, seed: number): Generator<number> {
  // A step without a common divisor visits every place.
  const divides = (a: number, b: number): number => (b === 0 ? a : divides(b, a % b));
  let step = 1 + (seed % Math.max(1, length - 1));
  while (divides(step, length) !== 1) step += 1;
  for (let at = 0; at < length; at += 1) yield (seed + at * step) % length;
}

interface Placing {
  readonly seed: number;
  /** The port of the site that every hostile address serves, for payloads that name public hosts. */
  readonly port: number;
}

/**
 * Lays the payloads of a table into the fields of its kinds. Each payload goes to one field at least and each field gets its share, at
 * least `payloadsPerField` of them (0 for all); the routes of a field take turns.
 */
export function placePayloads(table: PayloadTable, fields: readonly Field[], { seed, port }: Placing): Placed[] {
  const taking = fields.filter(({ kind }) => table.kinds.includes(kind));
  const { payloads } = table;
  if (payloads.length === 0) return [];
  const share =
    payloadsPerField === 0
      ? payloads.length
      : Math.max(payloadsPerField, Math.ceil(payloads.length / Math.max(1, taking.length)));
  const order = [...shuffled(payloads.length, seed)];
  return taking.flatMap((field, place) =>
    Array.from({ length: Math.min(share, payloads.length) }, (_, n) => {
      const at = place * share + n;
      const raw = payloads[order[at % payloads.length] ?? 0] ?? '';
      const payload = field.kind === 'url' ? local(raw, port, at) : raw;
      const placement = field.placements[(place + n) % field.placements.length];
      return placement === undefined ? undefined : { field, payload, attempt: placement(payload) };
    }).filter((placed) => placed !== undefined),
  );
}

const ALLOWED: readonly string[] = [...Object.values(HOSTS), ...HOSTILE_ADDRESSES];
/** Whether the operator of the stack allows the host. */
const isAllowed = (payload: string): boolean => ALLOWED.includes(URL.parse(payload)?.hostname ?? '');

/** Characters that end a line of a header. */
const LINE_END = /[\r\n]/;

/** Routes that take a whole configuration and neither store its receivers nor send them anything. */
const WITHOUT_RECEIVERS: readonly string[] = ['startCrawl', 'dryRun', 'previewSources', 'previewContent'];
/** Routes that look a URL up among stored pages and fetch nothing. */
const LOOKUPS: readonly string[] = ['verifyCite'];
const isPassedOver = ({ attempt, field }: Placed): boolean =>
  LOOKUPS.includes(attempt.target.id) ||
  (WITHOUT_RECEIVERS.includes(attempt.target.id) && /Config\w*\.(?:webhook_url|chat_url)/.test(field.name));

/** States what a response must not be, by the kind of field and what the payload does. */
export function problemsOfPayload(placed: Placed, { response }: Outcome): string[] {
  const { attempt, field, payload } = placed;
  if (response === undefined) return [];
  const { status, headers, body } = response;
  const isAccepted = status < 300;
  // A list is accepted with its wrong addresses, which are refused one by one.
  const isListed = / (?:query|path) |\[\]$/.test(field.name) || attempt.target.id === 'createProjects';
  const fetches = field.kind === 'url' && !isListed && !isPassedOver(placed);
  const echoed = typeof body === 'object' && body !== null && 'name' in body ? body.name : undefined;
  return [
    ...(isAccepted && fetches && isInternal(payload) && !isAllowed(payload) ? ['an internal address is accepted'] : []),
    ...(isAccepted && field.kind === 'header' && LINE_END.test(payload) && !/header/.test(field.name)
      ? ['a line end in a header is accepted']
      : []),
    ...(headers.has('set-cookie') ? ['a header of the response comes from the payload'] : []),
    ...(isAccepted &&
    attempt.target.id.startsWith('create') &&
    /\.name$/.test(field.name) &&
    typeof echoed === 'string' &&
    echoed !== payload &&
    echoed !== payload.trim()
      ? [`a name is changed: ${JSON.stringify(echoed).slice(0, 200)}`]
      : []),
  ];
}
