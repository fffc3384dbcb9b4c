import { AbortedError, requireActive } from './errors.ts';

/** Resolves after a time. @throws AbortedError if the signal aborts earlier */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  requireActive(signal);
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      if (signal !== undefined) reject(new AbortedError(signal));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal?.addEventListener('abort', end, { once: true });
  });
}
