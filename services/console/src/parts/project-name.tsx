import { useRead } from '../api/queries.ts';
import { words } from '../words/frame.ts';
import { shortUrl } from './site-name.tsx';

/** The name of a project, or its URL without one; a general name if it could not be loaded. */
export function ProjectName({ id }: { id: string }) {
  const { data, isError } = useRead('GET /projects/{id}', { path: { id } });
  // A link to the project needs a text while the name is loaded, too.
  if (data === undefined) return isError ? words.unknownProject : '…';
  return data.name ?? shortUrl(data.seed);
}
