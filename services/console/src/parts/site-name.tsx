/** Returns a URL without its scheme, for people. */
export const shortUrl = (url: string): string => url.replace(/^https?:\/\//, '').replace(/\/$/, '');

/** Returns the path and query of a URL; its host is left out where all URLs share it. */
export function pathOf(url: string): string {
  if (!URL.canParse(url)) return url;
  const { pathname, search } = new URL(url);
  return `${decodePath(pathname)}${search}`;
}

function decodePath(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** The name of a project and its address below, each on one line. `dir` keeps names of either direction readable. */
export function SiteName({ name, seed }: { name: string | null; seed: string }) {
  return (
    <span className="block min-w-0">
      <span dir="auto" className="block truncate font-medium">
        {name ?? shortUrl(seed)}
      </span>
      {name === null ? null : (
        <span dir="ltr" className="block truncate text-xs text-muted">
          {shortUrl(seed)}
        </span>
      )}
    </span>
  );
}
