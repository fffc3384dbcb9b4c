import { DestinationError, type SyncPlan } from '../driver.ts';

const DATASET = /^[a-z][a-z0-9_-]{0,62}$/;
const CONTROL = /\p{Cc}/u;
const MAX_CHARS = 500;

/** Returns the folder of the rows of one run, with a slash at its end. @throws DestinationError for a path that leads elsewhere on some servers */
export function runFolder({ dataset, projectId, runId, files }: SyncPlan): string {
  if (!DATASET.test(dataset))
    throw new DestinationError('invalid', `the dataset name is not allowed; expected ${DATASET.source}`);
  const project = projectId === '' ? '' : `project=${encodeURIComponent(projectId)}/`;
  return `${folderOf(files.path)}${dataset}/${project}run=${encodeURIComponent(runId)}/`;
}

/** Returns a path of the user as `a/b/`, or an empty text. */
function folderOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  const isSafe = segments.every((segment) => segment !== '.' && segment !== '..' && !segment.includes('\\'));
  if (!isSafe || CONTROL.test(path) || !path.isWellFormed() || path.length > MAX_CHARS)
    throw new DestinationError(
      'invalid',
      `the path is not allowed; expected folder names separated by /, at most ${MAX_CHARS} characters, without “.”, “..”, backslashes and control characters`,
    );
  return segments.map((segment) => `${segment}/`).join('');
}
