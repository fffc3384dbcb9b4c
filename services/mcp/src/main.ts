import { run } from '@tidemark/service';
import { mcp } from './service.ts';

await run(mcp);
