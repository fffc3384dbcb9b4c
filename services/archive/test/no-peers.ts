/** Peers of a test in which nobody asks for them. */
export const NO_PEERS = { CRAWL_ADDR: '127.0.0.1:1', SCRAPE_ADDR: '127.0.0.1:1' };
