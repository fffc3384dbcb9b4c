/** The name robots.txt knows us by (RFC 9309 2.2.1 product token). */
export const ROBOTS_TOKEN = 'Tidemark';

/** The one user agent every engine fetches under, with a page that says who we are and how to keep us out. */
export const USER_AGENT = 'Mozilla/5.0 (compatible; Tidemark/1.0; +https://tidemark.dev/bot)';

/** As whom pages are asked for in their mobile form: the same name, and the word that sites tell phones by. */
export const MOBILE_USER_AGENT = `${USER_AGENT} Mobile`;
