// Child process of the benchmark: maps a site once with sitemapper, for comparison, and sends the result to the parent process.
import Sitemapper from 'sitemapper';

const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
const fields = { loc: true, lastmod: true, changefreq: true, sitemap: true };
const mapper = new Sitemapper({ url: process.argv[2] ?? '', timeout: 60_000, concurrency: 10, fields });
const { sites, errors } = await mapper.fetch();
const { user, system } = process.cpuUsage(cpuBefore);
process.send?.({
  urls: sites.length,
  errors: errors.length,
  seconds: (performance.now() - startedAt) / 1_000,
  cpuSeconds: (user + system) / 1e6,
  rssMb: process.resourceUsage().maxRSS / 1024,
});
