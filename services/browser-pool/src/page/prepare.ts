import type { Cookie, NameAndValue, Order } from './order.ts';
import type { Visit } from './visit.ts';

/** Makes the tab what the order asks for, out of whatever the page before had made of it. */
export async function prepare(visit: Visit, order: Order): Promise<void> {
  const { tab } = visit;
  await Promise.all([
    tab.requests.rule({
      isBlocking: order.blocksResources && order.screenshot === 'none',
      origin: order.url.origin,
      headers: joined(order.headers),
    }),
    tab.wardrobe.wear({
      userAgent: order.userAgent,
      isMobile: order.device === 'mobile',
      hasFocus: order.actions.length > 0,
    }),
    ...order.cookies.map((cookie) => setCookie(visit, cookie)),
  ]);
}

/** A name given twice is one header of both values, RFC 9110 5.3. */
function joined(headers: readonly NameAndValue[]): NameAndValue[] {
  const values = new Map<string, string>();
  for (const { name, value } of headers) {
    const before = values.get(name);
    values.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return [...values].map(([name, value]) => ({ name, value }));
}

/** Gone with all the others when the tab is wiped. Without a domain a cookie is of the address's host alone. */
async function setCookie(visit: Visit, cookie: Cookie): Promise<void> {
  const { name, value, host, isForSubdomains, path, secure, httpOnly, sameSite } = cookie;
  const isOf = isForSubdomains ? { domain: `.${host}` } : { url: `${secure ? 'https' : 'http'}://${host}/` };
  const given = { name, value, ...isOf, path, secure, httpOnly, ...(sameSite === undefined ? {} : { sameSite }) };
  const isSet = await visit.tab.session.send('Network.setCookie', given).then(
    ({ success }) => success,
    () => false,
  );
  if (!isSet) visit.warn(`cookies: the browser did not take ${JSON.stringify(name)}`);
}
