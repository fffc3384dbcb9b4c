/**
 * Serves the ClickHouse engine of the package chdb over the parts of ClickHouse's HTTP interface that the driver uses.
 * `POST /rights?write=no` gives its user a read-only profile.
 *
 *   node chdb-server.ts <path of chdb> <folder> <port> <user> <password>
 */
import { createServer } from 'node:http';
import { pathToFileURL } from 'node:url';

interface Session {
  query(sql: string, format?: string): string;
}

const [, , path = '', folder = '', port = '0', user = '', password = ''] = process.argv;
const { Session: Engine }: { Session: new (folder: string) => Session } = await import(pathToFileURL(path).href);
const writing = new Engine(folder);
writing.query('CREATE DATABASE IF NOT EXISTS tidemark ENGINE = Atomic');
// The setting of a session can not be taken back, so that this session has another one on the same folder.
const readOnly = new Engine(folder);
readOnly.query('SET readonly = 1');
let session = writing;

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const url = new URL(request.url ?? '/', 'http://server');
    if (url.pathname === '/rights') {
      session = url.searchParams.get('write') === 'no' ? readOnly : writing;
      return response.end();
    }
    const { 'x-clickhouse-user': name, 'x-clickhouse-key': key } = request.headers;
    if (name !== user || key !== password)
      return response.writeHead(403).end(`Code: 516. DB::Exception: ${String(name)}: Authentication failed`);
    const query = url.searchParams.get('query');
    const body = Buffer.concat(chunks).toString();
    try {
      response.end(session.query(query === null ? body : `${query}\n${body}`));
    } catch (error) {
      response.writeHead(500).end(String(error).replace(/^.*?(?=Code: )/s, ''));
    }
  });
}).listen(Number(port), '127.0.0.1');
