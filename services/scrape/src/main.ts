import { run } from '@tidemark/service';
import { scrape } from './service.ts';

await run(scrape);
