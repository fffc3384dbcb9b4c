import { run } from '@tidemark/service';
import { diff } from './service.ts';

await run(diff);
