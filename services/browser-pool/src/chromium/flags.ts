import { readFileSync } from 'node:fs';

/** Features that would keep state between pages, open pages nobody asked for, or talk to the network on their own. */
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
  // A new frame host for every document costs a fifth of a page's CPU (142 ms for 190, two navigations); tabs here
  // never go from one site to another, and another site's frames still have processes of their own.
  'RenderDocument',
  'Reporting',
  // Renderers made in advance; the pool has a spare tab of its own.
  'SpareRendererForSitePerProcess',
  'SpeculationRules',
  'Translate',
];

/** The command line of every browser. What puppeteer adds on its own (background networking off, among others) stays. */
export function flags(userAgent: string, isSandboxed: boolean): string[] {
  return [
    `--user-agent=${userAgent}`,
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
    // One process less, and 7 ms a page; on Linux the network service has no sandbox of its own to lose.
    '--enable-features=NetworkServiceInProcess2',
    // Every context has a proxy of its own; what belongs to none reaches nothing, loopback included.
    '--proxy-server=socks5://127.0.0.1:9',
    '--proxy-bypass-list=<-loopback>',
    // Names are resolved behind the guard only: no prefetch may ask the DNS past it.
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--disable-quic',
    // navigator.webdriver is false, as in any browser a person uses.
    '--disable-blink-features=AutomationControlled',
    // The same on the wire, in navigator.language and in navigator.languages, whatever the locale of the machine.
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

/** Whether Chromium's sandbox can work here: not for root, and only where the kernel gives user namespaces. */
export function canSandbox(): boolean {
  if (process.getuid?.() === 0) return false;
  const reads = (path: string): string => {
    try {
      return readFileSync(path, 'utf8').trim();
    } catch {
      return '';
    }
  };
  return (
    reads('/proc/sys/kernel/unprivileged_userns_clone') !== '0' &&
    reads('/proc/sys/kernel/apparmor_restrict_unprivileged_userns') !== '1' &&
    reads('/proc/sys/user/max_user_namespaces') !== '0'
  );
}
