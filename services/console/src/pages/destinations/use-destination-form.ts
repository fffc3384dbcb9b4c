import { TidemarkError } from '@tidemark/sdk';
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { sentenceOf } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { messagesOf } from './destination-draft.ts';

/** Kinds of providers that hold tables; the others hold files. */
const TABLE_KINDS: readonly string[] = ['postgres', 'mysql', 'clickhouse'];

/** Returns what a form of a destination chooses from: connections to databases and buckets, and projects. */
export function useTargets() {
  const connections = useRead('GET /connections', { query: { limit: 1_000 } });
  const providers = useRead('GET /connections/providers', {});
  const projects = useRead('GET /projects', { query: { limit: 0 } });
  const reads = [connections, providers, projects] as const;
  const error = reads.find((one) => one.error !== null)?.error ?? null;
  const refetch = () => Promise.all(reads.map((one) => one.refetch()));
  if (connections.data === undefined || providers.data === undefined || projects.data === undefined)
    return { data: undefined, error, refetch };
  const models = new Set(providers.data.data.filter(({ kind }) => kind === 'model').map(({ id }) => id));
  const tables = providers.data.data.filter(({ kind }) => TABLE_KINDS.includes(kind)).map(({ id }) => id);
  const data = {
    connections: connections.data.data.filter(({ provider }) => !models.has(provider)),
    tableProviders: new Set(tables),
    projects: projects.data.data,
  };
  return { data, error, refetch };
}

/** Returns the state of a form that is sent: its messages by field. */
export function useDestinationForm() {
  const [messages, setMessages] = useState<Readonly<Record<string, string>>>({});
  const [isSending, setSending] = useState(false);
  const send = async (write: () => Promise<void>): Promise<void> => {
    setSending(true);
    setMessages({});
    try {
      await write();
    } catch (error) {
      if (error instanceof TidemarkError) setMessages(messagesOf(error.detail ?? []));
      if (error instanceof Error) notify(sentenceOf(error), { isBad: true });
    } finally {
      setSending(false);
    }
  };
  return { messages, isSending, send };
}
