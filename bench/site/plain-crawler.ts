const ATTEMPTS = 3;

/** A page as a plain crawler found it. */
export interface Crawled {
  readonly status: number;
  /** Links from the home page; a redirect counts as one. */
  readonly depth: number;
}

async function fetchPage(url: string): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(url, { redirect: 'manual' });
    if (response.status !== 503 || attempt === ATTEMPTS) return response;
    await response.arrayBuffer();
  }
}

/** Returns the paths of the links and of the redirect of a page, on the same host. */
async function linksOf(base: string, path: string, response: Response): Promise<string[]> {
  const location = response.headers.get('location');
  if (location !== null) return [new URL(location, base + path).pathname];
  const html = (await response.text()).replaceAll(/<script\b[\s\S]*?<\/script>/g, '');
  if (!(response.headers.get('content-type') ?? '').startsWith('text/html')) return [];
  const links = [...html.matchAll(/<a\b[^>]*\shref="([^"]+)"/g)].map(([, href = '']) => new URL(href, base + path));
  return links.filter(({ origin }) => origin === base).map(({ pathname }) => pathname);
}

/** Follows the plain links of a site breadth-first, as its robots.txt allows. Independent of how the site is planned. */
export async function crawlPlainly(base: string): Promise<Map<string, Crawled>> {
  const robots = await (await fetch(`${base}/robots.txt`)).text();
  const disallowed = [...robots.matchAll(/^Disallow: (\S+)/gm)].map(([, folder = '']) => folder);
  const found = new Map<string, Crawled>();
  const seen = new Set(['/']);
  let level = ['/'];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const path of level) {
      if (disallowed.some((folder) => path.startsWith(folder))) continue;
      const response = await fetchPage(base + path);
      found.set(path, { status: response.status, depth });
      for (const link of await linksOf(base, path, response)) {
        if (seen.has(link)) continue;
        seen.add(link);
        next.push(link);
      }
    }
    level = next;
  }
  return found;
}
