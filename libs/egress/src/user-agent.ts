/** Product token of Tidemark in robots.txt (RFC 9309 section 2.2.1). */
export const ROBOTS_TOKEN = 'Tidemark';

/** User agent of every engine. Its URL describes Tidemark and how to exclude it. */
export const USER_AGENT = 'Mozilla/5.0 (compatible; Tidemark/1.0; +https://tidemark.dev/bot)';

/** User agent for mobile pages, with the token by which sites detect phones. */
export const MOBILE_USER_AGENT = `${USER_AGENT} Mobile`;
