import { run } from '@tidemark/service';
import { crawl } from './service.ts';

await run(crawl);
