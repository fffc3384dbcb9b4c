import { useRead } from '../api/queries.ts';

/** Returns a function from the id of a provider of connections to its name; the id until the catalogue is read. */
export function useProviderName(): (id: string) => string {
  const { data } = useRead('GET /connections/providers', {});
  return (id) => data?.data.find((one) => one.id === id)?.title ?? id;
}
