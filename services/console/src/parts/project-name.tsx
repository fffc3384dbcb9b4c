import { useRead } from '../api/queries.ts';
import { shortUrl } from './site-name.tsx';

/** The name of a project, or its address without one; nothing while it is loaded. */
export function ProjectName({ id }: { id: string }) {
  const { data } = useRead('GET /projects/{id}', { path: { id } });
  return data === undefined ? '' : (data.name ?? shortUrl(data.seed));
}
