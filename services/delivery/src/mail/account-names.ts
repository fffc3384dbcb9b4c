import { plain } from '../report/plain-text.ts';

const MAX_NAME = 100;

/** Returns a name as one line of plain text. A dot or slash in a name could become a link in a mail program. */
export const nameOf = (text: string): string => plain(text, MAX_NAME).replace(/[./:@]/g, '\u2024');

/** Returns the browser and system that a User-Agent names; of other programs its first product. */
export function programOf(userAgent: string): string {
  const browser = /(Firefox|Edg|OPR|Chrome|Safari)\//.exec(userAgent)?.[1];
  const system = /Windows|Mac OS X|Android|iPhone|iPad|Linux/.exec(userAgent)?.[0];
  if (browser === undefined) return nameOf(userAgent.split(/[ /]/)[0] ?? '') || 'unknown program';
  const name = { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser;
  return system === undefined ? name : `${name} on ${system}`;
}
