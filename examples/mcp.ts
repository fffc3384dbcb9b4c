// Starts the tool server of the command line as an agent does, lists its tools and captures a page:
//
//   node packages/cli/bundle.config.ts
//   TIDEMARK_BASE_URL=http://127.0.0.1:8787/v1 TIDEMARK_API_KEY=service_… node examples/mcp.ts https://example.com/
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [url = 'https://example.com/', program = 'packages/cli/dist/tidemark.js'] = process.argv.slice(2);
const env = {
  PATH: process.env['PATH'] ?? '',
  HOME: process.env['HOME'] ?? '',
  TIDEMARK_API_KEY: process.env['TIDEMARK_API_KEY'] ?? '',
  TIDEMARK_BASE_URL: process.env['TIDEMARK_BASE_URL'] ?? '',
};

const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env }));
try {
  const { tools } = await client.listTools();
  console.log(`${tools.length} tools: ${tools.map(({ name }) => name).join(', ')}`);
  const { structuredContent, isError } = await client.callTool({ name: 'extract_url', arguments: { url } });
  console.log(JSON.stringify(structuredContent, null, 2));
  if (isError === true) process.exitCode = 1;
} finally {
  await client.close();
}
