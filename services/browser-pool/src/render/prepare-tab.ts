import type { RenderContext } from '../page/render-context.ts';
import type { Cookie, NameAndValue, RenderTask } from '../page/render-task.ts';

/** Applies request rules, device and cookies of the task to the tab, replacing those of its previous page. */
export async function prepareTab(context: RenderContext, task: RenderTask): Promise<void> {
  const { tab } = context;
  await Promise.all([
    tab.interceptor.setRules({
      isBlocking: task.blocksResources && task.screenshot === 'none',
      origin: task.url.origin,
      headers: joinedHeaders(task.headers),
    }),
    tab.emulation.apply({
      userAgent: task.userAgent,
      isMobile: task.device === 'mobile',
      hasFocus: task.actions.length > 0 || task.isOperated === true,
    }),
    ...task.cookies.map((cookie) => setCookie(context, cookie)),
  ]);
}

/** Joins the values of repeated headers (RFC 9110 section 5.3). */
function joinedHeaders(headers: readonly NameAndValue[]): NameAndValue[] {
  const values = new Map<string, string>();
  for (const { name, value } of headers) {
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return [...values].map(([name, value]) => ({ name, value }));
}

/** Sets a cookie, which the next wipe removes. Without a domain it is a host-only cookie. */
async function setCookie(context: RenderContext, cookie: Cookie): Promise<void> {
  const { name, value, host, isForSubdomains, path, secure, httpOnly, sameSite } = cookie;
  const isOf = isForSubdomains ? { domain: `.${host}` } : { url: `${secure ? 'https' : 'http'}://${host}/` };
  const parameters = { name, value, ...isOf, path, secure, httpOnly, ...(sameSite === undefined ? {} : { sameSite }) };
  const isSet = await context.tab.session.send('Network.setCookie', parameters).then(
    ({ success }) => success,
    () => false,
  );
  if (!isSet) context.warn(`cookies: the browser rejected ${JSON.stringify(name)}`);
}
