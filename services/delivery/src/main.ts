import { run } from '@tidemark/service';
import { delivery } from './service.ts';

await run(delivery);
