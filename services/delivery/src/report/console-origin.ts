import { DEFAULT_PUBLIC_URL } from '../config.ts';

/**
 * Returns the origin of links to the console: the configured one, otherwise that of PUBLIC_URL, whose gateway serves the console. Empty where neither
 * is configured: messages then have no links to it.
 */
export function consoleOrigin({
  consoleUrl,
  publicUrl,
}: {
  readonly consoleUrl: string;
  readonly publicUrl: string;
}): string {
  if (consoleUrl !== '') return consoleUrl;
  return publicUrl === DEFAULT_PUBLIC_URL ? '' : new URL(publicUrl).origin;
}
