/** Features that keep state between pages, open additional pages, or send requests of their own. */
const DISABLED_FEATURES = [
  'BackForwardCache',
  'CompressionDictionaryTransport',
  'CompressionDictionaryTransportBackend',
  'DialMediaRouteProvider',
  'HttpsUpgrades',
  'MediaRouter',
  'NetworkErrorLogging',
  'OptimizationHints',
  'Prerender2',
  // A new frame host per document costs a fifth of a page's CPU (142 against 190 ms for two navigations). Tabs here do not
  // change sites, and frames of other sites still have their own processes.
  'RenderDocument',
  'Reporting',
  // Prestarted renderers; the pool keeps a spare tab instead.
  'SpareRendererForSitePerProcess',
  'SpeculationRules',
  'Translate',
];

/** Returns the command line of a browser. The defaults of puppeteer (such as no background networking) apply as well. */
export function browserFlags(userAgent: string, isSandboxed: boolean): string[] {
  return [
    `--user-agent=${userAgent}`,
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
    // Saves a process and 7 ms per page; on Linux the network service is not sandboxed anyway.
    '--enable-features=NetworkServiceInProcess2',
    // Each context has its own proxy. Traffic outside of contexts reaches nothing, loopback included.
    '--proxy-server=socks5://127.0.0.1:9',
    '--proxy-bypass-list=<-loopback>',
    // Only the egress guard resolves names; this blocks DNS prefetch.
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    // Sets navigator.webdriver to false.
    '--disable-blink-features=AutomationControlled',
    // Same value in the header, navigator.language and navigator.languages, independent of the locale of the machine.
    '--lang=en-US',
    '--accept-lang=en-US,en',
    '--block-new-web-contents',
    '--disable-back-forward-cache',
    '--disable-component-update',
    '--disable-domain-reliability',
    '--disable-extensions',
    '--disable-gpu',
    '--disable-notifications',
    '--hide-scrollbars',
    '--mute-audio',
    '--no-default-browser-check',
    '--no-first-run',
    '--no-pings',
    ...(isSandboxed ? [] : ['--no-sandbox', '--no-zygote-sandbox']),
  ];
}
