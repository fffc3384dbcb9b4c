import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A site whose page tries everything that a page can do, and an origin that counts what is loaded from it. */
export interface HostileSite {
  readonly origin: string;
  /** Paths that anything requested from the other origin since the last reset. */
  readonly hits: string[];
  /** Ends the text of its page. */
  ending: string;
  close(): void;
}

const pageOf = (evil: string, ending: string): string => `<!doctype html><html lang="en"><head><title>Hostile</title>
<base href="${evil}/base/"><meta http-equiv="refresh" content="0;url=${evil}/refresh"><link rel="stylesheet" href="${evil}/style.css">
<link rel="prefetch" href="${evil}/prefetch"><style>@import url("${evil}/import.css"); body { background: url("${evil}/background") }</style>
<script>top.hacked = 1; new Image().src = "${evil}/inline"; fetch("${evil}/fetch")</script><script src="${evil}/external.js"></script></head>
<body onload="top.hacked = 2; location = '${evil}/onload'"><main><h1>Hostile page</h1>
<p id="point">A page of many words about the harbour, its boats and the tide that comes in over the marsh ${ending}.</p>
<img src="${evil}/image" onerror="top.hacked = 3; new Image().src = '${evil}/onerror'"><img src="${evil}/set" srcset="${evil}/srcset 2x">
<svg onload="top.hacked = 4"><image href="${evil}/svg"/></svg><iframe src="${evil}/frame"></iframe><iframe srcdoc="<script>top.hacked = 5</script>"></iframe>
<object data="${evil}/object"></object><embed src="${evil}/embed"><video src="${evil}/video" poster="${evil}/poster" autoplay></video>
<form action="${evil}/form" method="post" id="form"><button id="send">Send</button></form>
<form id="clobber"><input name="parentElement"><input name="children"><input name="localName"></form>
<a id="script" href="javascript:top.hacked = 6">A link with a script</a> <a id="away" href="${evil}/link" target="_top" ping="${evil}/ping">Away</a>
<img name="querySelectorAll"><img name="body"><img name="documentElement"><a id="parent"></a>
<script>document.write("<script src='${evil}/written.js'></" + "script>")</script></main></body></html>`;

/** Serves the site on one address, and the other origin on a port of its own. */
export async function startHostileSite(address: string): Promise<HostileSite> {
  const hits: string[] = [];
  const evil = createServer((request, response) => {
    hits.push(request.url ?? '');
    response.setHeader('access-control-allow-origin', '*').end('');
  });
  await new Promise<void>((resolve) => evil.listen(0, address, resolve));
  const other = `http://${address}:${(evil.address() as AddressInfo).port}`;
  const server = createServer((request, response) => {
    if (request.url !== '/') return void response.writeHead(404).end('');
    response.setHeader('content-type', 'text/html; charset=utf-8').end(pageOf(other, site.ending));
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const site: HostileSite = {
    ending: 'twice a day',
    origin: `http://${address}:${(server.address() as AddressInfo).port}`,
    hits,
    close() {
      for (const one of [server, evil]) {
        one.closeAllConnections();
        one.close();
      }
    },
  };
  return site;
}
