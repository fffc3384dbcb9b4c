import { run } from '@tidemark/service';
import { gateway } from './service.ts';

await run(gateway);
