/** A number as a part of a URL of its own: `/item/1021493409`, `/dp/B004SNMXRS`. */
const NUMBER = /^(?:\d{5,20}|(?=[A-Z0-9]*\d)(?=[A-Z0-9]*[A-Z])[A-Z0-9]{8,16})$/;
const EXTENSION = /\.(?:html?|php|aspx?|jsp)$/i;

/** Returns the number of the product in the URL of its page: the last part of the path, if it is a number and nothing else. */
export function urlIdentifier(url: string): string | undefined {
  const last = URL.parse(url)?.pathname.replace(/\/+$/, '').split('/').at(-1)?.replace(EXTENSION, '');
  return last !== undefined && NUMBER.test(last) ? last : undefined;
}
