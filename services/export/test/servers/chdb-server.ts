/**
 * Serves the ClickHouse engine of the package chdb over the parts of ClickHouse's HTTP interface that the driver uses.
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
const session = new Engine(folder);
session.query('CREATE DATABASE IF NOT EXISTS tidemark ENGINE = Atomic');

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { 'x-clickhouse-user': name, 'x-clickhouse-key': key } = request.headers;
    if (name !== user || key !== password)
      return response.writeHead(403).end(`Code: 516. DB::Exception: ${String(name)}: Authentication failed`);
    const query = new URL(request.url ?? '/', 'http://server').searchParams.get('query');
    const body = Buffer.concat(chunks).toString();
    try {
      response.end(session.query(query === null ? body : `${query}\n${body}`));
    } catch (error) {
      response.writeHead(500).end(String(error).replace(/^.*?(?=Code: )/s, ''));
    }
  });
}).listen(Number(port), '127.0.0.1');
