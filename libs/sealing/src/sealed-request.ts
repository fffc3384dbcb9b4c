import type { Sealer } from './sealer.ts';

/** The parts of capture options that may contain credentials. */
export interface RequestOptions {
  readonly headers: { [name: string]: string };
  readonly cookies: { [name: string]: string };
  /** The headers and cookies, sealed; both maps are then empty. */
  readonly sealedRequest?: Uint8Array | undefined;
}

/**
 * Moves the headers and cookies of capture options into a sealed value, so that no row and no message contains them. Options without any
 * are returned unchanged, at no cost.
 */
export function sealRequest<T extends RequestOptions>(
  options: T,
  sealer: Pick<Sealer, 'seal'>,
  workspaceId: string,
): T {
  const { headers, cookies } = options;
  if (Object.keys(headers).length + Object.keys(cookies).length === 0) return options;
  const sealedRequest = sealer.seal(JSON.stringify({ headers, cookies }), contextOf(workspaceId));
  return { ...options, headers: {}, cookies: {}, sealedRequest };
}

/** Restores the headers and cookies of sealed options. @throws Error if they were sealed for another workspace or with an unknown key */
export function openRequest<T extends RequestOptions>(
  options: T,
  sealer: Pick<Sealer, 'open'>,
  workspaceId: string,
): T {
  const { sealedRequest } = options;
  if (sealedRequest === undefined || sealedRequest.length === 0) return options;
  const { headers, cookies }: RequestOptions = JSON.parse(sealer.open(sealedRequest, contextOf(workspaceId)));
  return { ...options, headers, cookies, sealedRequest: undefined };
}

/** Separates these values from others that are sealed under the id of the same workspace. */
const contextOf = (workspaceId: string): string => `${workspaceId}:request`;
