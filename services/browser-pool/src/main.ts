import { run } from '@tidemark/service';
import { browserPool } from './service.ts';

await run(browserPool);
