import type { Sealer } from './sealer.ts';

/** The parts of capture options that may contain credentials. */
export interface RequestOptions {
  readonly headers: { [name: string]: string };
  readonly cookies: { [name: string]: string };
  readonly actions?: readonly TextAction[];
  /** The headers, cookies and typed texts, sealed; they are then empty. */
  readonly sealedRequest?: Uint8Array | undefined;
}

interface TextAction {
  readonly kind: string;
  readonly text: string;
}

/** The sealed values. `texts`: typed texts by the index of their action. */
interface Sealed {
  readonly headers: RequestOptions['headers'];
  readonly cookies: RequestOptions['cookies'];
  readonly texts: Readonly<Record<number, string>>;
}

/**
 * Moves the headers, cookies and typed texts of capture options into a sealed value, so that no row and no message contains them. Options without any
 * are returned unchanged, at no cost.
 */
export function sealRequest<T extends RequestOptions>(
  options: T,
  sealer: Pick<Sealer, 'seal'>,
  workspaceId: string,
): T {
  const { headers, cookies, actions } = options;
  const texts = Object.fromEntries(
    (actions ?? []).flatMap(({ kind, text }, at) => (kind === 'type' && text !== '' ? [[at, text] as const] : [])),
  );
  if ([headers, cookies, texts].every((values) => Object.keys(values).length === 0)) return options;
  const sealed: Sealed = { headers, cookies, texts };
  const sealedRequest = sealer.seal(JSON.stringify(sealed), contextOf(workspaceId));
  const without = actions?.map((action, at) => (at in texts ? { ...action, text: '' } : action));
  return {
    ...options,
    headers: {},
    cookies: {},
    ...(without === undefined ? {} : { actions: without }),
    sealedRequest,
  };
}

/** Restores the headers, cookies and typed texts of sealed options. @throws Error if they were sealed for another workspace or with an unknown key */
export function openRequest<T extends RequestOptions>(
  options: T,
  sealer: Pick<Sealer, 'open'>,
  workspaceId: string,
): T {
  const { sealedRequest } = options;
  if (sealedRequest === undefined || sealedRequest.length === 0) return options;
  const { headers, cookies, texts }: Sealed = JSON.parse(sealer.open(sealedRequest, contextOf(workspaceId)));
  const actions = options.actions?.map((action, at) => ({ ...action, text: texts[at] ?? action.text }));
  return { ...options, headers, cookies, ...(actions === undefined ? {} : { actions }), sealedRequest: undefined };
}

/** Separates these values from others that are sealed under the id of the same workspace. */
const contextOf = (workspaceId: string): string => `${workspaceId}:request`;
