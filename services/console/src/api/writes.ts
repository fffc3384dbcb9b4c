import { type Init, type Result, type Route, TidemarkError } from '@tidemark/sdk';
import { useState } from 'react';
import { client } from './client.ts';
import { requestFreshCode } from './fresh-code.ts';
import { queryClient, refresh } from './queries.ts';

/** A write of one route. */
export interface Write<R extends Route> {
  /** Sends it. @throws the error of the call, which is kept in `error` too */
  readonly send: (init: Init<R>) => Promise<Result<R>>;
  readonly isSending: boolean;
  readonly error: Error | undefined;
  readonly clear: () => void;
}

const isStale = (error: unknown): boolean => error instanceof TidemarkError && error.code === 'mfa_stale';

/** Sends a call; if it requires a fresh code, opens the dialog for it and sends the call again. @throws the error of the call */
export async function sendFresh<R extends Route>(route: R, init: Init<R>): Promise<Result<R>> {
  try {
    return await client.send(route, init);
  } catch (error) {
    if (!isStale(error) || !(await requestFreshCode())) throw error;
    return await client.send(route, init);
  }
}

/** Returns a write that refreshes the reads of some routes afterwards. A route that requires a fresh code opens the dialog for it. */
export function useWrite<R extends Route>(route: R, refreshes: readonly Route[] = []): Write<R> {
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error>();
  const send = async (init: Init<R>) => {
    setSending(true);
    setError(undefined);
    try {
      const result = await sendFresh(route, init);
      void refresh(...refreshes);
      return result;
    } catch (failure) {
      setError(failure instanceof Error ? failure : new Error(String(failure)));
      throw failure;
    } finally {
      setSending(false);
    }
  };
  return { send, isSending, error, clear: () => setError(undefined) };
}

/** A change that is shown before the server has confirmed it. */
export interface Optimistic<Data> {
  readonly key: readonly unknown[];
  readonly change: (data: Data) => Data;
  readonly write: () => Promise<unknown>;
}

/** Shows a change at once, sends it, and restores the data as it was if the server refuses. @throws the error of the write */
export async function writeOptimistically<Data>({ key, change, write }: Optimistic<Data>): Promise<void> {
  await queryClient.cancelQueries({ queryKey: key });
  const before = queryClient.getQueryData<Data>(key);
  queryClient.setQueryData<Data>(key, (data) => (data === undefined ? data : change(data)));
  try {
    await write();
  } catch (error) {
    queryClient.setQueryData(key, before);
    throw error;
  }
}
